"""Encodes items: whatever a scraper yields, as checked JSON."""

from typing import Any

import msgspec

from swather.errors import BadPayload
from swather.model.payload import MAX_ITEM_BYTES, encode


def encode_item(item: Any) -> msgspec.Raw:
    """The JSON of a dict, dataclass, msgspec Struct, pydantic model or any other JSON value.

    BadPayload says what is wrong with an item that has none.
    """
    if hasattr(item, "model_dump"):
        item = _dump(item)
    try:
        text = encode(item, what="item", max_bytes=MAX_ITEM_BYTES)
    except BadPayload as error:
        if not isinstance(error.__cause__, TypeError):
            raise
        text = encode(_plain(item, error), what="item", max_bytes=MAX_ITEM_BYTES)
    return msgspec.Raw(text)


def _dump(model: Any) -> Any:
    return model.model_dump(mode="json")


def _plain(item: Any, error: BadPayload) -> Any:
    """The item with its pydantic models converted; other values that are not JSON fail."""
    try:
        return msgspec.to_builtins(item, str_keys=True, enc_hook=_dump)
    except (TypeError, AttributeError, RecursionError, ValueError):
        raise error from error.__cause__
