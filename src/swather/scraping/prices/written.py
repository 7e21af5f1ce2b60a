"""Text as a page has it, in one spelling of digits, spaces, quotes and dashes."""

import re
import unicodedata
from typing import Final

# A price on a page is short; what is longer is a page.
LONGEST: Final = 1_000
_DROPPED: Final = dict.fromkeys(
    [
        0xAD,
        0x61C,
        0x2060,
        0xFEFF,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ]
)
_SPACES: Final = dict.fromkeys([*range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], "\u00a0")
_BREAKS: Final = dict.fromkeys(map(ord, "\t\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"), "\n")
_QUOTES: Final = dict.fromkeys(map(ord, "’‘ʼ´`′＇"), "'")
_DASHES: Final = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－ー"), "-")
_MARKS: Final = {ord("،"): ",", ord("、"): ",", ord("﹩"): "$", ord("～"): "~", ord("〜"): "~"}
_ALL: Final = {**_DROPPED, **_SPACES, **_BREAKS, **_QUOTES, **_DASHES, **_MARKS}
_RUNS: Final = re.compile(r" *\n[ \n]*| {2,}")


def plain(text: str) -> str:
    """ASCII digits and marks; hard spaces stay apart from soft ones, and a line break is one."""
    turned = "".join(map(_plain_character, text.translate(_ALL)))
    return _RUNS.sub(_run, turned).strip(" \n\u00a0")


def _plain_character(character: str) -> str:
    if character < "\x80":
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(int(digit))
    if "\uff00" <= character <= "\uffef":
        return unicodedata.normalize("NFKC", character)
    return character


def _run(found: re.Match[str]) -> str:
    return "\n" if "\n" in found[0] else " "
