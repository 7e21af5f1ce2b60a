"""Text and values of others on a page: without passwords, control characters shown, not too long.

What is stored may have megabytes. Masking all of it would take seconds, so that it is cut first,
with much to spare, and then masked and cut to its length.
"""

import re
from typing import Any, Final

import msgspec

from swather.masking import masked, masked_data
from swather.visible import visible, visible_line

LINE: Final = 160
BLOCK: Final = 20_000
# A value with more JSON than this is cut as text.
_WHOLE_BYTES: Final = 100_000
# Of what is cut, so that a password that begins in sight also ends in it.
_SPARE: Final = 8_000
_LAST_WORD: Final = re.compile(r"[^\s:]*:[^\s@]*\Z")


def line(value: Any, limit: int = LINE) -> str:
    """A value in one line: text as it is, the rest as JSON."""
    text = masked(_cut(value, limit)) if isinstance(value, str) else _as_json(value, limit, 0)
    return shortened(visible_line(text), limit)


def first_line(text: str | None, limit: int = LINE) -> str:
    """Of a text of several lines."""
    return line((text or "").strip().partition("\n")[0], limit)


def block(text: str | None, limit: int = BLOCK) -> str:
    """Text of several lines."""
    return shortened(visible(masked(_cut(text or "", limit))), limit)


def shown_json(value: Any, limit: int = BLOCK) -> str:
    """Indented, for people to read."""
    return shortened(visible(_as_json(value, limit, 2)), limit)


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _as_json(value: Any, limit: int, indent: int) -> str:
    encoded = msgspec.json.encode(value)
    if len(encoded) > _WHOLE_BYTES:
        # Up to four bytes are a character.
        begin = encoded[: 4 * (limit + _SPARE) + 4].decode(errors="ignore")
        return masked(_cut(begin, limit))
    whole = msgspec.json.encode(masked_data(value))
    return (msgspec.json.format(whole, indent=indent) if indent else whole).decode()


def _cut(text: str, limit: int) -> str:
    """The beginning of a long text, not in the middle of what may be a user and a password."""
    if len(text) <= limit + _SPARE:
        return text
    return _LAST_WORD.sub("…", text[: limit + _SPARE])
