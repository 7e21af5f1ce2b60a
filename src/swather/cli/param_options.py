"""A scraper's parameters as options of a command."""

from collections.abc import Iterator
from enum import Enum
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args, get_origin

import typer
from typer.main import get_command

from swather.scraping.params import Field, fields_of, type_name

if TYPE_CHECKING:
    from swather.scraping.scraper import Scraper

_PREFIX: Final = "param_"
_MANY: Final = (list, tuple, set, frozenset, dict)
_METAVARS: Final = {int: "N", float: "NUMBER", str: "TEXT"}


def options_of(scraper: "Scraper", taken: set[str]) -> list[Any]:
    """An option for each parameter, except those whose option the command has itself."""
    fields = _fields(scraper)
    wanted = [
        Parameter(
            _PREFIX + name, Parameter.KEYWORD_ONLY, default=None, annotation=_type(field, name)
        )
        for name, field in fields.items()
        if taken.isdisjoint(_flags(name, field))
    ]

    def taking() -> None: ...

    # What typer makes of a function's signature, without a function.
    taking.__signature__ = Signature(wanted)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(taking)
    return list(get_command(app).params)


def rows_without_option(scraper: "Scraper", taken: set[str]) -> list[tuple[str, str]]:
    """What help says about parameters that only -p can set."""
    return [
        (f"-p {name}={'true|false' if _is_flag(field) else _metavar(field)}", _help(field))
        for name, field in _fields(scraper).items()
        if not taken.isdisjoint(_flags(name, field))
    ]


def pairs_of(option: Any, value: Any) -> Iterator[str]:
    """What was given to an option, as 'name=value' texts; nothing if it was not given."""
    name = option.name.removeprefix(_PREFIX)
    if isinstance(value, bool):
        yield f"{name}={'true' if value else 'false'}"
    elif value is not None:
        yield from (f"{name}={text}" for text in ([value] if isinstance(value, str) else value))


def described(scraper: "Scraper") -> list[dict[str, Any]]:
    """The parameters as programs read them."""
    return [
        {
            "name": name,
            "option": _written(name, field),
            "type": type_name(field.type),
            "required": field.required,
            "default": None if field.required else _plain(field.default),
            "help": field.help,
        }
        for name, field in _fields(scraper).items()
    ]


def _fields(scraper: "Scraper") -> dict[str, Field]:
    kind = scraper.options.params
    return {} if kind is None else fields_of(kind)


def _flags(name: str, field: Field) -> list[str]:
    word = name.replace("_", "-")
    return [f"--{word}", f"--no-{word}"] if _is_flag(field) else [f"--{word}"]


def _written(name: str, field: Field) -> str:
    flags = " / ".join(_flags(name, field))
    return flags if _is_flag(field) else f"{flags} {_metavar(field)}"


def _type(field: Field, name: str) -> Any:
    """The type of an option; its texts become values where those of -p do."""
    is_flag = _is_flag(field)
    kind: Any = bool if is_flag else list[str] if _takes_many(field) else str
    option = typer.Option(
        "/".join(_flags(name, field)),
        metavar=None if is_flag else _metavar(field),
        help=_help(field),
        show_default=False,
    )
    return Annotated[kind | None, option]


def _is_flag(field: Field) -> bool:
    return field.kinds == (bool,)


def _takes_many(field: Field) -> bool:
    return any((get_origin(kind) or kind) in _MANY for kind in field.kinds)


def _metavar(field: Field) -> str:
    kinds = field.kinds
    if any((get_origin(kind) or kind) is dict for kind in kinds):
        return "NAME=VALUE"
    if _takes_many(field):
        kinds = tuple(part for kind in kinds for part in get_args(kind) if part is not ...)
    return "|".join(dict.fromkeys(name for kind in kinds for name in _names(kind))) or "TEXT"


def _names(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(value) for value in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(member.value) for member in kind]
    return [_METAVARS.get(kind) or type_name(kind).upper()]


def _help(field: Field) -> str:
    notes = [field.help] if field.help else []
    if _takes_many(field):
        notes.append("May be repeated.")
    if field.required:
        notes.append(" [required]")
    elif field.default not in (None, (), [], {}, "", set(), frozenset()):
        notes.append(f" [default: {_default(field)}]")
    return " ".join(notes)


def _default(field: Field) -> str:
    default = _plain(field.default)
    if isinstance(default, bool):
        return "yes" if default else "no"
    return ", ".join(map(str, default)) if isinstance(default, list) else str(default)


def _plain(value: Any) -> Any:
    """A value that JSON and people can read."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
