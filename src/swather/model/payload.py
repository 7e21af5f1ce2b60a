"""JSON for the database, with checks that the two databases do not make alike."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from swather.errors import BadPayload

MAX_TARGET_BYTES: Final = 1 << 20
MAX_ITEM_BYTES: Final = 32 << 20
MAX_MEMORY_BYTES: Final = 64 << 10
# Far from Python's recursion limit, so that what one process encodes every other can decode.
MAX_DEPTH: Final = 200

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()

decode: Callable[[bytes | str], Any] = _decoder.decode


def encode(value: Any, *, what: str = "value", max_bytes: int = MAX_TARGET_BYTES) -> str:
    """JSON text of `value`, or BadPayload that says what is wrong with it and where."""
    try:
        encoded = _encoder.encode(value)
        text = encoded.decode()
    except RecursionError as error:
        raise BadPayload(f"{what} is nested too deeply: {_shown(value)}") from error
    except UnicodeError as error:
        raise BadPayload(f"{what} contains a lone surrogate: {_shown(value)}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise BadPayload(f"{what} is not JSON: {error}: {_shown(value)}") from error
    if len(encoded) > max_bytes:
        raise BadPayload(
            f"{what} is {len(encoded):,} bytes of JSON, the limit is {max_bytes:,}: {_shown(value)}"
        )
    if type(value) is str:
        if "\0" in value:
            raise BadPayload(f"{what} contains a NUL character: {_shown(value)}")
        return text
    if len(encoded) > MAX_DEPTH and _is_too_deep(encoded):
        raise BadPayload(f"{what} is nested more than {MAX_DEPTH} deep: {_shown(value)}")
    if b"\\u0000" in encoded and _has_nul(decode(encoded)):
        raise BadPayload(f"{what} contains a NUL character: {_shown(value)}")
    # msgspec writes NaN and infinities as null, so only a text with a null in it can hide one.
    if b"null" in encoded and _has_non_finite(_plain(value)):
        raise BadPayload(
            f"{what} contains NaN or an infinity, which JSON does not allow: {_shown(value)}"
        )
    return text


def encode_item(item: Any) -> str:
    """The JSON of a dict, dataclass, msgspec Struct, pydantic model or any other JSON value.

    BadPayload says what is wrong with an item that has none.
    """
    if type(item) is not dict and hasattr(item, "model_dump"):
        item = _dump(item)
    try:
        return encode(item, what="item", max_bytes=MAX_ITEM_BYTES)
    except BadPayload as error:
        if not isinstance(error.__cause__, TypeError):
            raise
        return encode(_converted(item, error), what="item", max_bytes=MAX_ITEM_BYTES)


def _dump(model: Any) -> Any:
    return model.model_dump(mode="json")


def _converted(item: Any, error: BadPayload) -> Any:
    """The item with its pydantic models converted; other values that are not JSON fail."""
    try:
        return msgspec.to_builtins(item, str_keys=True, enc_hook=_dump)
    except (TypeError, AttributeError, RecursionError, ValueError):
        raise error from error.__cause__


def _plain(value: Any) -> Any:
    # Raw JSON cannot hide one.
    return None if isinstance(value, msgspec.Raw) else msgspec.to_builtins(value, str_keys=True)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "…"


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    return ()


def _levels(value: Any) -> Iterator[list[Any]]:
    """Everything in `value`, names included, level by level: recursion would run out of stack."""
    level = [value]
    while level:
        yield level
        level = [child for parent in level for child in _children(parent)]


def _is_too_deep(encoded: bytes) -> bool:
    if encoded.count(b"[") + encoded.count(b"{") <= MAX_DEPTH:
        return False
    return sum(1 for _ in _levels(decode(encoded))) > MAX_DEPTH + 1


def _has_nul(value: Any) -> bool:
    return any("\0" in part for level in _levels(value) for part in level if isinstance(part, str))


def _has_non_finite(value: Any) -> bool:
    return any(
        not math.isfinite(part)
        for level in _levels(value)
        for part in level
        if isinstance(part, float)
    )


def storable(text: str) -> str:
    """Text as far as every database can hold it: no NUL, no lone surrogate."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
