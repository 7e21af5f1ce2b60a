"""Parameters of a scraper: from `-p name=value` to what `ctx.params` is."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec

from swather.errors import InputError
from swather.model.payload import encode
from swather.scraping.scraper import Scraper

# Such names are kept beside a run's parameters and are not the scraper's.
_RESERVED_PREFIX: Final = "_"


class _Field(NamedTuple):
    type: Any
    required: bool
    is_pydantic: bool = False

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


def parse(scraper: Scraper, pairs: Iterable[str]) -> dict[str, Any]:
    """The parameters in 'name=value' texts, as JSON that a run can keep.

    A name that comes more than once is a list. Values are read by the type the scraper declares, as
    text if it declares none; all that is wrong is told in one InputError.
    """
    given: dict[str, Any] = {}
    for name, value in map(_split, pairs):
        if name not in given:
            given[name] = value
        elif isinstance(given[name], list):
            given[name].append(value)
        else:
            given[name] = [given[name], value]
    made = typed(scraper, given)
    if scraper.options.params is None:
        return given
    plain = _to_builtins(made)
    return {name: plain[name] for name in given if name in plain}


def typed(scraper: Scraper, params: Mapping[str, Any]) -> Any:
    """What `ctx.params` is: an object of the type the scraper declares, else a plain dict."""
    given = {name: value for name, value in params.items() if not name.startswith(_RESERVED_PREFIX)}
    kind = scraper.options.params
    if kind is None:
        encode(given, what="params")
        return given
    fields = _fields_of(kind)
    problems = [
        f"unknown {name!r} (it takes {', '.join(fields) or 'none'})"
        for name in given
        if name not in fields
    ]
    problems += [
        f"missing {name!r} ({_type_name(field.type)})"
        for name, field in fields.items()
        if field.required and name not in given
    ]
    values: dict[str, Any] = {}
    for name in given.keys() & fields.keys():
        try:
            values[name] = fields[name].convert(given[name])
        except (ValueError, TypeError):
            expected = _type_name(fields[name].type)
            problems.append(f"{name!r}: expected {expected}, got {given[name]!r}")
    if not problems:
        try:
            return kind(**values)
        except (ValueError, TypeError) as error:
            problems = _told(error)
    raise InputError(f"parameters of scraper {scraper.name!r}: {'; '.join(sorted(problems))}")


def _told(error: Exception) -> list[str]:
    """What a type says against its values; pydantic says it in many lines."""
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


def _fields_of(kind: Any) -> dict[str, _Field]:
    if hasattr(kind, "model_fields"):
        return {
            name: _Field(field.annotation, field.is_required(), is_pydantic=True)
            for name, field in kind.model_fields.items()
        }
    if hasattr(kind, "__struct_fields__"):
        return {
            field.name: _Field(field.type, field.required) for field in msgspec.structs.fields(kind)
        }
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: _Field(
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
        if field.init
    }


def _readings(value: Any) -> Iterator[Any]:
    """The value as it is, as the JSON it may be, and as a list of one."""
    yield value
    if isinstance(value, str):
        with suppress(msgspec.DecodeError, UnicodeError):
            yield msgspec.json.decode(value)
    yield [value]


def _type_name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")


def _to_builtins(made: Any) -> dict[str, Any]:
    if hasattr(made, "model_dump"):
        made = made.model_dump(mode="json")
    plain: dict[str, Any] = msgspec.to_builtins(made)
    return plain
