"""The parameters of a scraper as a JSON schema, for forms and clients."""

from enum import Enum
from typing import Any

from pydantic import PydanticSchemaGenerationError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

from swather.scraping.params import Field, fields_of
from swather.scraping.scraper import Scraper


def params_schema(scraper: Scraper) -> dict[str, Any]:
    """An object with a property for each parameter, with its description and its default. A type
    that has no schema may be anything; so may be all parameters of a scraper that declares none.
    """
    if scraper.options.params is None:
        return {"type": "object", "properties": {}, "additionalProperties": True}
    fields = fields_of(scraper.options.params)
    definitions: dict[str, Any] = {}
    properties = {name: _property(field, definitions) for name, field in fields.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name, field in fields.items() if field.required],
        "additionalProperties": False,
        **({"$defs": definitions} if definitions else {}),
    }


def _property(field: Field, definitions: dict[str, Any]) -> dict[str, Any]:
    try:
        found = TypeAdapter(field.type).json_schema()
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError):
        found = {}
    definitions.update(found.pop("$defs", {}))
    if field.help:
        found["description"] = field.help
    if not field.required:
        found["default"] = _plain(field.default)
    return found


def _plain(value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, dict):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value), key=str)
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
