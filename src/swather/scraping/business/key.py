"""What makes two listings the same business: its phone number, else its name and address.

Directories write both in many ways; all of them give one key.
"""

import re
import unicodedata
from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby
from typing import Final

from swather.scraping.business.folding import folded
from swather.scraping.business.words import COUNTRIES, LEGAL_FORMS, SHORT, UNIT

EXTENSION: Final = re.compile(
    r"(?:\b(?:extension|ext|x)|(?<=\d)x|#)[\s.:]*\d{1,7}\s*$", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"1?([2-9]\d{2}[2-9]\d{6})", re.ASCII)
_PHONE_MARKS: Final = re.compile(r"[\s().+/\-\u2010-\u2015]+")
_KEYPAD: Final = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "22233344455566677778889999")
_ZIP: Final = re.compile(r"\b(\d{5})-\d{4}\b", re.ASCII)
_NORTH_SOUTH: Final = frozenset("ns")
_EAST_WEST: Final = frozenset("ew")
# Longer keys are cut, and a digest keeps them apart.
_MAX_BYTES: Final = 300


def business_key(phone: str = "", name: str = "", address: str = "") -> str | None:
    """The key of a business; None if there is neither a phone number nor a name and an address."""
    if number := phone_key(phone):
        return f"tel:{number}"
    who, where = name_key(name), address_key(address)
    return _short(f"at:{who}|{where}") if who and where else None


def phone_key(text: str) -> str:
    """A US number as +12125550100, without its extension; '' if the text is none. Letters are those
    of the keypad: 1-800-FLOWERS.
    """
    text = unicodedata.normalize("NFKC", text).upper().strip()
    text = _PHONE_MARKS.sub("", EXTENSION.sub("", text))
    found = _NUMBER.fullmatch(text.translate(_KEYPAD) if text[:3].isdecimal() else text)
    return f"+1{found[1]}" if found else ""


def name_key(text: str) -> str:
    """A name without 'The' before it and its legal form after it; initials are one word."""
    words = list(_with_initials(folded(text).split()))
    while len(words) > 1 and words[0] == "the":
        del words[0]
    while len(words) > 1 and words[-1] in LEGAL_FORMS:
        del words[-1]
    return " ".join(words)


def address_key(text: str) -> str:
    """An address with the short forms of its words, without ZIP+4 and the country."""
    text = unicodedata.normalize("NFKC", text)
    words = [
        SHORT.get(word, word)
        for word in folded(_ZIP.sub(r"\1", text).replace("#", " unit ")).split()
    ]
    found: list[str] = []
    for word in words:
        if word == UNIT and found[-1:] == [UNIT]:
            continue
        if word in _EAST_WEST and found and found[-1] in _NORTH_SOUTH:
            found[-1] += word
            continue
        found.append(word)
    while found and found[-1] in COUNTRIES:
        del found[-1]
    return " ".join(found)


def _with_initials(words: list[str]) -> Iterator[str]:
    for is_initial, group in groupby(words, lambda word: len(word) == 1 and word.isalpha()):
        if is_initial:
            yield "".join(group)
        else:
            yield from group


def _short(key: str) -> str:
    encoded = key.encode()
    if len(encoded) <= _MAX_BYTES:
        return key
    return f"{encoded[:_MAX_BYTES].decode(errors='ignore')}…{sha256(encoded).hexdigest()[:16]}"
