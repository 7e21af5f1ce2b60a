"""Parameters of a scraper: from `-p name=value` to what `ctx.params` is."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.model.payload import encode
from swather.scraping.param_fields import fields_of, type_name
from swather.scraping.scraper import Scraper

# Swather's own values among a run's parameters; the scraper does not get them.
_RESERVED_PREFIX: Final = "_"


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
    made = typed_params(scraper, given)
    if scraper.options.params is None:
        return given
    plain = _to_builtins(made)
    return {name: plain[name] for name in given if name in plain}


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
    raise InputError(f"parameters of scraper {scraper.name!r}: {'; '.join(sorted(problems))}")


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
