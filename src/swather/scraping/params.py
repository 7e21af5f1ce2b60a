"""Parameters of a scraper: from `-p name=value` to what `ctx.params` is."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NewType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from swather.errors import InputError
from swather.model.payload import encode
from swather.scraping.scraper import Scraper

REQUIRED: Final = object()
# Swather's own values among a run's parameters; the scraper does not get them.
_RESERVED_PREFIX: Final = "_"


class Variable(NamedTuple):
    """Names an environment variable of a parameter: `Annotated[int, "…", Variable("MAX_PAGES")]`.

    It is read as MAX_PAGES and as SWATHER_MAX_PAGES.
    """

    name: str


class Field(NamedTuple):
    """A parameter: its type, its default (REQUIRED when it has none), and what it is for.
    `variables` are the environment variables that it declares.
    """

    type: Any
    default: Any
    help: str = ""
    is_pydantic: bool = False
    variables: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types its value may have; None aside."""
        kind = _plain(self.type)
        parts = get_args(kind) if _is_union(kind) else (kind,)
        return tuple(_plain(part) for part in parts if part is not NoneType)

    def convert(self, value: Any) -> Any:
        """A value of the field's type, from a text where need be: '3', 'true', '["a", "b"]'."""
        first: Exception | None = None
        for reading in _readings(value):
            try:
                return self._convert(reading)
            except (ValueError, TypeError) as error:
                first = first or error
        assert first is not None
        raise first

    def _convert(self, value: Any) -> Any:
        if not self.is_pydantic:
            return msgspec.convert(value, self.type, strict=False)
        from pydantic import TypeAdapter  # noqa: PLC0415

        return TypeAdapter(self.type).validate_python(value)


def fields_of(kind: Any) -> dict[str, Field]:
    """The fields of a dataclass, a msgspec Struct or a pydantic model, by name.

    Their descriptions come from pydantic's `Field(description=…)`, msgspec's
    `Meta(description=…)` or a text: `Annotated[int, "How many pages."]`.
    """
    if hasattr(kind, "model_fields"):
        return dict(_of_model(kind))
    hints = get_type_hints(kind, include_extras=True)
    if hasattr(kind, "__struct_fields__"):
        return {
            field.name: Field(
                field.type,
                _default(field.default, field.default_factory, msgspec.NODEFAULT),
                _help_in(hints.get(field.name)),
                variables=_variables_in(hints.get(field.name)),
            )
            for field in msgspec.structs.fields(kind)
        }
    return {
        field.name: Field(
            hints[field.name],
            _default(field.default, field.default_factory, dataclasses.MISSING),
            _help_in(hints[field.name]),
            variables=_variables_in(hints[field.name]),
        )
        for field in dataclasses.fields(kind)
        if field.init
    }


def type_name(kind: Any) -> str:
    """A type as people write it."""
    kind = _plain(kind)
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    return kind.__name__ if isinstance(kind, type | NewType) else str(kind).replace("typing.", "")


def _of_model(kind: Any) -> Iterator[tuple[str, Field]]:
    for name, field in kind.model_fields.items():
        default = REQUIRED if field.is_required() else field.get_default(call_default_factory=True)
        yield (
            name,
            Field(
                field.annotation,
                default,
                field.description or "",
                is_pydantic=True,
                variables=_named_by(field.metadata),
            ),
        )


def _default(value: Any, factory: Any, missing: Any) -> Any:
    if value is not missing:
        return value
    return REQUIRED if factory is missing else factory()


def _help_in(hint: Any) -> str:
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, Variable):
            continue
        text = note if isinstance(note, str) else getattr(note, "description", None)
        if text:
            return str(text)
    return ""


def _variables_in(hint: Any) -> tuple[str, ...]:
    return _named_by(getattr(hint, "__metadata__", ()))


def _named_by(notes: Iterable[Any]) -> tuple[str, ...]:
    return tuple(note.name.upper() for note in notes if isinstance(note, Variable))


def _plain(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in {UnionType, Union}


def _readings(value: Any) -> Iterator[Any]:
    """The value as it is, as the JSON it may be, as the mapping that 'name=value' texts make, and
    as a list of one.
    """
    yield value
    if isinstance(value, str):
        with suppress(msgspec.DecodeError, UnicodeError):
            yield msgspec.json.decode(value)
    texts = value if isinstance(value, list) else [value]
    if texts and all(isinstance(text, str) and "=" in text for text in texts):
        pairs = [text.partition("=") for text in texts]
        yield {name.strip(): given for name, _, given in pairs}
    yield [value]


def parse(scraper: Scraper, pairs: Iterable[str]) -> dict[str, Any]:
    """The parameters in 'name=value' texts, as JSON that a run can keep.

    A repeated name makes a list. Values are parsed as the type that the scraper declares, as
    text if it declares none; one InputError lists all that is wrong.
    """
    given: dict[str, Any] = {}
    for name, value in map(_split, pairs):
        if name not in given:
            given[name] = value
        elif isinstance(given[name], list):
            given[name].append(value)
        else:
            given[name] = [given[name], value]
    made = given_params(scraper, given)
    if scraper.options.params is None:
        return given
    plain = _to_builtins(made)
    return {name: plain[name] for name in given if name in plain}


def given_params(scraper: Scraper, params: Mapping[str, Any]) -> Any:
    """As `typed_params`, where a person gives them: what a type can only check there, such as a
    file on this machine, is in its method `check_given`.
    """
    made = typed_params(scraper, params)
    if callable(check := getattr(made, "check_given", None)):
        try:
            check()
        except (ValueError, TypeError) as error:
            raise _wrong(scraper, _complaints(error)) from error
    return made


def typed_params(scraper: Scraper, params: Mapping[str, Any]) -> Any:
    """What `ctx.params` is: an object of the type the scraper declares, else a plain dict."""
    given = {name: value for name, value in params.items() if not name.startswith(_RESERVED_PREFIX)}
    kind = scraper.options.params
    if kind is None:
        encode(given, what="params")
        return given
    fields = fields_of(kind)
    problems = [
        f"unknown {name!r} (it takes {', '.join(fields) or 'none'})"
        for name in given
        if name not in fields
    ]
    problems += [
        f"missing {name!r} ({type_name(field.type)})"
        for name, field in fields.items()
        if field.required and name not in given
    ]
    values: dict[str, Any] = {}
    for name in given.keys() & fields.keys():
        try:
            values[name] = fields[name].convert(given[name])
        except (ValueError, TypeError):
            expected = type_name(fields[name].type)
            problems.append(f"{name!r}: expected {expected}, got {given[name]!r}")
    if not problems:
        try:
            return kind(**values)
        except (ValueError, TypeError) as error:
            problems = _complaints(error)
    raise _wrong(scraper, problems)


def _wrong(scraper: Scraper, problems: Iterable[str]) -> InputError:
    return InputError(f"parameters of scraper {scraper.name!r}: {'; '.join(sorted(problems))}")


def _complaints(error: Exception) -> list[str]:
    """The complaints of a type about its values; one for each of pydantic's."""
    if not hasattr(error, "errors"):
        return [str(error)]
    return [
        f"{'.'.join(map(str, problem['loc']))!r}: {problem['msg']}, got {problem['input']!r}"
        for problem in error.errors()
    ]


def _split(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    name = name.strip()
    if not equals or not name or name.startswith(_RESERVED_PREFIX):
        raise InputError(f"a parameter looks like name=value, got {pair!r}")
    return name, value


def _to_builtins(made: Any) -> dict[str, Any]:
    if hasattr(made, "model_dump"):
        made = made.model_dump(mode="json")
    plain: dict[str, Any] = msgspec.to_builtins(made)
    return plain
