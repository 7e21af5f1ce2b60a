"""JSON in a script of a page, which browsers never read: pages have it with small mistakes."""

import json
import re
from typing import Any, Final, NoReturn

import msgspec

_OPENING: Final = re.compile(r"\A[\s\ufeff]*(?:/[/*])?\s*(?:<!--|<!\[CDATA\[)(?:\s*\*/)?")
_CLOSING: Final = re.compile(r"(?:/[/*])?\s*(?:-->|\]\]>)(?:\s*\*/)?[\s;]*\Z")
# A string, or a comma with nothing after it.
_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[\]}])', re.DOTALL)


def decoded(text: str) -> Any:
    """ValueError if it is no JSON even without a wrapper, with line breaks in its texts and with
    commas before closing brackets; RecursionError if it is nested too deeply.
    """
    text = _bare(text)
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        mended = _TRAILING_COMMA.sub(lambda found: found[1] or "", text)
        try:
            return json.loads(mended, strict=False, parse_constant=_refuse)
        except ValueError:
            # Of the two, this one says what is wrong with the text as it is on the page.
            raise ValueError(str(error)) from None


def _bare(text: str) -> str:
    """Without a mark of its encoding, and what hides it from old browsers."""
    text = text.strip().strip("\ufeff").strip()
    opening = _OPENING.match(text)
    if opening is not None:
        text = text[opening.end() :]
        # Only its end is searched: the rest is long.
        start = max(len(text) - 200, 0)
        text = text[:start] + _CLOSING.sub("", text[start:])
    return text.strip().rstrip(";")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
