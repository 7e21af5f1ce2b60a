"""The parameters of a scraper as fields of a form, and what was typed into them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, Literal, get_args, get_origin

import msgspec

from swather.scraping.params import Field, fields_of, type_name
from swather.scraping.scraper import Scraper

Control = Literal["choice", "number", "lines", "text"]

_MANY: Final = (list, tuple, set, frozenset, dict)
_YES_NO: Final = (("true", "yes"), ("false", "no"))


@dataclass(frozen=True, kw_only=True)
class ParamField:
    """A parameter. What is left empty is as usual: `usual` says how, in words.

    choices  values with their labels
    value    what was typed, and `error` what is wrong with it
    """

    name: str
    control: Control
    expects: str
    help: str
    usual: str
    is_required: bool
    choices: tuple[tuple[str, str], ...] = ()
    value: str = ""
    error: str = ""


def param_fields(scraper: Scraper, known: Collection[str]) -> list[ParamField]:
    """One for each parameter; those in `known` have a value where the server runs, which may be a
    secret.
    """
    return [_drawn(name, field, name in known) for name, field in _fields(scraper).items()]


def read_params(
    scraper: Scraper, fields: list[ParamField], typed: Mapping[str, str]
) -> tuple[list[ParamField], dict[str, Any]]:
    """The fields with what was typed and what is wrong with it, and the values for the run."""
    kinds = _fields(scraper)
    read, values = [], {}
    for field in fields:
        text = typed.get(field.name, "")
        filled = replace(field, value=text)
        if text.strip():
            try:
                values[field.name] = _value(kinds[field.name], field, text)
            except (ValueError, TypeError):
                filled = replace(filled, error=f"expected {field.expects}, got {text.strip()!r}")
        elif field.is_required:
            filled = replace(filled, error=f"this is needed: {field.expects}")
        read.append(filled)
    return read, values


def _fields(scraper: Scraper) -> dict[str, Field]:
    kind = scraper.options.params
    return {} if kind is None else fields_of(kind)


def _drawn(name: str, field: Field, is_known: bool) -> ParamField:
    choices = _choices(field)
    control: Control = "text"
    if choices:
        control = "choice"
    elif any((get_origin(kind) or kind) in _MANY for kind in field.kinds):
        control = "lines"
    elif field.kinds and set(field.kinds) <= {int, float}:
        control = "number"
    return ParamField(
        name=name,
        control=control,
        expects=" or ".join(type_name(kind) for kind in field.kinds) or type_name(field.type),
        help=field.help,
        usual="set where the server runs" if is_known else _usual(field),
        is_required=field.required and not is_known,
        choices=choices,
    )


def _choices(field: Field) -> tuple[tuple[str, str], ...]:
    """Of a yes or no, and of a type that has few values."""
    found: list[tuple[str, str]] = []
    for kind in field.kinds:
        if kind is bool:
            found += _YES_NO
        elif get_origin(kind) is Literal:
            found += [(str(each), str(each)) for each in get_args(kind)]
        elif isinstance(kind, type) and issubclass(kind, Enum):
            found += [(str(each.value), str(each.value)) for each in kind]
        else:
            return ()
    return tuple(found)


def _usual(field: Field) -> str:
    default = None if field.required else field.default
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, Enum):
        return str(default.value)
    if isinstance(default, Mapping):
        return ", ".join(f"{name}={value}" for name, value in default.items())
    if isinstance(default, list | tuple | set | frozenset):
        return ", ".join(map(str, default))
    return "" if default is None else str(default)


def _value(kind: Field, field: ParamField, text: str) -> Any:
    """As JSON, so that a run can keep it; ValueError or TypeError if it does not fit."""
    given: Any = text.strip()
    if field.control == "lines" and not given.startswith(("[", "{")):
        given = [line.strip() for line in text.splitlines() if line.strip()]
    made = kind.convert(given)
    if kind.is_pydantic:
        return given
    return msgspec.to_builtins(made)
