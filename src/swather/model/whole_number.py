"""A whole number as people and programs write it: decimal digits."""

from typing import Final

# A database holds any number of so many digits; int() itself fails on a few thousand.
MAX_DIGITS: Final = 18


def whole_number(text: str) -> int | None:
    """None for anything else, and for a number of more than MAX_DIGITS digits."""
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        return None
    return int(text)
