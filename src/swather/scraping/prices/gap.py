"""What stands between two numbers, and which of them its signs belong to."""

import re
from typing import Final, NamedTuple

from swather.scraping.prices.signs import LIKE_WORDS, MINORS, SIGN, SIGNS, either

_MOST_SIGNS: Final = 2
_LAST: Final = re.compile(rf"(?:{SIGN})\s*\Z")
_FIRST: Final = re.compile(rf"\s*(?:{SIGN}|(?i:{either(MINORS)})(?![^\W\d_])\.?)")
_EASTERN: Final = "\u2e80"


class Gap(NamedTuple):
    """`suffixes` are signs of the number before, `prefixes` of the one after it.

    `touches` is the character that touches the next number, or its sign, from the left.
    """

    suffixes: tuple[frozenset[str], ...]
    minor: bool
    middle: str
    prefixes: tuple[frozenset[str], ...]
    touches: str


def split(
    text: str, expected: frozenset[str], *, first: bool, last: bool, prefers_left: bool
) -> Gap:
    """`first` and `last`: no number stands before, or after.

    A sign that both could have goes to the one it touches, otherwise to the left one if that
    `prefers_left`, having none yet.
    """
    prefixes, left = ((), text) if last else _from_the_end(text, expected)
    if prefixes and not first and not left.strip() and _is_of_the_left(text, prefers_left):
        prefixes, left = (), text
    touches = left[-1:]
    suffixes, minor, middle = ((), False, left) if first else _from_the_start(left, expected)
    return Gap(suffixes, minor, middle, prefixes, touches if touches < _EASTERN else "")


def _is_of_the_left(text: str, prefers_left: bool) -> bool:
    spaced_left, spaced_right = text[0].isspace(), text[-1].isspace()
    return prefers_left if spaced_left == spaced_right else spaced_right


def _from_the_end(text: str, expected: frozenset[str]) -> tuple[tuple[frozenset[str], ...], str]:
    signs: tuple[frozenset[str], ...] = ()
    while len(signs) < _MOST_SIGNS and (found := _LAST.search(text)):
        meant = _meaning(found[0].strip(), expected)
        if not meant:
            break
        signs, text = (meant, *signs), text[: found.start()]
    return signs, text


def _from_the_start(
    text: str, expected: frozenset[str]
) -> tuple[tuple[frozenset[str], ...], bool, str]:
    signs: tuple[frozenset[str], ...] = ()
    minor = False
    while len(signs) < _MOST_SIGNS and (found := _FIRST.match(text)):
        sign = found[0].strip()
        of_hundredths = _hundredths(sign, expected)
        meant = of_hundredths or _meaning(sign, expected)
        if not meant:
            break
        minor = minor or bool(of_hundredths)
        signs, text = (*signs, meant), text[found.end() :]
    return signs, minor, text


def _meaning(sign: str, expected: frozenset[str]) -> frozenset[str]:
    name = sign.lower()
    meant = SIGNS.get(name) or SIGNS.get(name.rstrip("."), frozenset())
    return meant if name.rstrip(".") not in LIKE_WORDS or meant & expected else frozenset()


def _hundredths(sign: str, expected: frozenset[str]) -> frozenset[str]:
    name = sign.lower().rstrip(".")
    meant = MINORS.get(name, frozenset())
    return meant if len(name) > 2 or name == "¢" or meant & expected else frozenset()
