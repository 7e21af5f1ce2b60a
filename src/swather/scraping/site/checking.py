"""Checks a value against the schema, and says each mistake in words."""

import math
import re
from datetime import date, datetime, time
from typing import Any, Final

from swather.scraping.site.lines import Place
from swather.scraping.site.problems import Problems, instead_of, shown
from swather.scraping.site.schema import Schema

_WORDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}
_TYPES: Final[dict[str, Any]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


def check(problems: Problems, value: Any, schema: Schema, place: Place = ()) -> bool:
    """Whether a value is what the schema says; if not, the problems say why."""
    before = problems.count
    _check(problems, value, schema, place)
    return problems.count == before


def _check(problems: Problems, value: Any, schema: Schema, place: Place) -> None:
    if "anyOf" in schema:
        branches = [each for each in schema["anyOf"] if _is_a(value, each["type"])]
        if not branches:
            kinds = [each["type"] for each in schema["anyOf"]]
            problems.add(place, _wrong_type(value, kinds))
            return
        schema = branches[0]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is_a(value, kind) for kind in kinds):
        problems.add(place, _wrong_type(value, kinds))
        return
    if isinstance(value, dict):
        _check_table(problems, value, schema, place)
    elif isinstance(value, list):
        _check_list(problems, value, schema, place)
    elif isinstance(value, str):
        _check_text(problems, value, schema, place)
    elif not isinstance(value, bool):
        _check_number(problems, value, schema, place)


def _check_table(problems: Problems, table: Any, schema: Schema, place: Place) -> None:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", False)
    if not table and schema.get("minProperties"):
        problems.add(place, "has nothing in it; expected at least one field")
    if len(table) > schema.get("maxProperties", len(table)):
        problems.add(place, f"has {len(table)} fields; expected {schema['maxProperties']} at most")
        return
    for name, value in table.items():
        within = (*place, name)
        if name in known:
            _check(problems, value, known[name], within)
        elif not others:
            problems.add(within, f"there is no such key; {instead_of(name, known)}")
        elif re.search(schema["propertyNames"]["pattern"], name) is None:
            problems.add(
                within, "a field's name has up to 64 letters, digits, '_' and '-', and begins with "
                "a letter or '_'"
            )  # fmt: skip
        else:
            _check(problems, value, others, within)
    for name in schema.get("required", ()):
        if name not in table:
            problems.add(place, f"the key {name!r} is missing")
    if "oneOf" in schema:
        _check_choice(problems, table, [each["required"][0] for each in schema["oneOf"]], place)


def _check_choice(problems: Problems, table: Any, keys: list[str], place: Place) -> None:
    given = [key for key in keys if key in table]
    if not given:
        problems.add(place, f"expected one of the keys {', '.join(keys)}")
    elif len(given) > 1:
        problems.add(
            (*place, given[1]), f"it contradicts {given[0]!r}; expected only one of the two"
        )


def _check_list(problems: Problems, values: Any, schema: Schema, place: Place) -> None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(values))
    if not least <= len(values) <= most:
        problems.add(place, f"expected {least} to {most} elements, got {len(values)}")
        return
    for number, value in enumerate(values):
        _check(problems, value, schema["items"], (*place, number))


def _check_text(problems: Problems, text: str, schema: Schema, place: Place) -> None:
    if "enum" in schema and text not in schema["enum"]:
        problems.add(place, f"got {shown(text)}; {instead_of(text, schema['enum'])}")
    if not text.strip() and schema.get("minLength"):
        problems.add(place, "expected text, got none")
    elif len(text) > schema.get("maxLength", len(text)):
        problems.add(
            place, f"expected at most {schema['maxLength']:,} characters, got {len(text):,}"
        )
    elif "pattern" in schema and re.search(schema["pattern"], text) is None:
        wanted = schema["description"].rstrip(".")
        problems.add(place, f"got {shown(text)}; expected {wanted[0].lower()}{wanted[1:]}")


def _check_number(problems: Problems, value: Any, schema: Schema, place: Place) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        problems.add(place, f"expected a number, got {value!r}")
        return
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and value < least:
        problems.add(place, f"expected at least {least}, got {value!r}")
    if most is not None and value > most:
        problems.add(place, f"expected at most {most}, got {value!r}")
    above = schema.get("exclusiveMinimum")
    if above is not None and value <= above:
        problems.add(place, f"expected more than {above}, got {value!r}")


def _is_a(value: Any, kind: Any) -> bool:
    if isinstance(kind, list):
        return any(_is_a(value, each) for each in kind)
    if isinstance(value, bool):
        return bool(kind == "boolean")
    return isinstance(value, _TYPES[kind])


def _wrong_type(value: Any, kinds: list[Any]) -> str:
    flat = [each for kind in kinds for each in (kind if isinstance(kind, list) else [kind])]
    wanted = [_WORDS[kind] for kind in dict.fromkeys(flat)]
    said = " or ".join([", ".join(wanted[:-1]), wanted[-1]]) if len(wanted) > 1 else wanted[0]
    if isinstance(value, dict | list):
        got = "a table" if isinstance(value, dict) else "a list"
    elif isinstance(value, date | datetime | time):
        got = f"a date or time, {shown(str(value))}; put it in quotes"
    else:
        got = shown(value) if not isinstance(value, bool) else str(value).lower()
    return f"expected {said}, got {got}"
