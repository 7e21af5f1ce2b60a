"""What stands between two numbers, and which of them its signs belong to."""

import re
from typing import Final, NamedTuple

from swather.scraping.prices.signs import LIKE_WORDS, MINORS, SIGN, SIGNS, WHOSE, either

_MOST_SIGNS: Final = 2
_LAST: Final = re.compile(rf"(?:{SIGN})\s*\Z")
_FIRST: Final = re.compile(rf"\s*(?:{SIGN}|(?i:{either(MINORS)})(?![^\W\d_])\.?)")
# "£450 p/w", "£25 p.p." and "£2 p&p" have no pence.
_NO_PENCE: Final = re.compile(r"\s*p(?:\.\w| ?& ?p\b)", re.IGNORECASE)
_APART: Final = re.compile(r"\s+p\s?/", re.IGNORECASE)
# In capitals, or at the end: "$1.50 can" and "Canadian bacon" say nothing of the dollar.
_WHOSE: Final = re.compile(
    rf"\s*(?:(?P<upper>{either(name.upper() for name in WHOSE)})(?![^\W\d_])"
    rf"|(?P<any>(?i:{either(WHOSE.keys() - {'can'})}))(?=\.?\s*(?:[^\w\s.]|\Z)))\.?"
)
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
    text: str,
    expected: frozenset[str],
    own: tuple[frozenset[str], ...],
    *,
    first: bool,
    last: bool,
) -> Gap:
    """`first` and `last`: no number stands before, or after. The one before has its `own` signs.

    A sign that both could have goes to the one it touches, otherwise to the left one if that has
    none yet.
    """
    prefixes, left = ((), text) if last else _from_the_end(text, expected)
    if prefixes and not first and not left.strip() and _is_of_the_left(text, prefers_left=not own):
        prefixes, left = (), text
    touches = left[-1:]
    suffixes, minor, middle = ((), False, left) if first else _from_the_start(left, expected, own)
    return Gap(suffixes, minor, middle, prefixes, touches if touches < _EASTERN else "")


def _is_of_the_left(text: str, *, prefers_left: bool) -> bool:
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
    text: str, expected: frozenset[str], own: tuple[frozenset[str], ...]
) -> tuple[tuple[frozenset[str], ...], bool, str]:
    signs: tuple[frozenset[str], ...] = ()
    minor = False
    while len(signs) < _MOST_SIGNS and (found := _FIRST.match(text)):
        sign = found[0].strip()
        of_hundredths = _hundredths(sign, expected)
        if _NO_PENCE.match(text) or (of_hundredths and _is_for_each(text, own)):
            break
        meant = of_hundredths or _meaning(sign, expected)
        if not meant:
            break
        minor = minor or bool(of_hundredths)
        signs, text = (*signs, meant), text[found.end() :]
    if any("USD" in meant for meant in (*own, *signs)) and (found := _WHOSE.match(text)):
        code = WHOSE[(found["upper"] or found["any"]).lower()]
        signs, text = (*signs, frozenset({code})), text[found.end() :]
    return signs, minor, text


def _is_for_each(text: str, own: tuple[frozenset[str], ...]) -> bool:
    """Whether its p means 'per', as in "£7.50 p/kg", while "45p/kg" has pence."""
    return _APART.match(text) is not None or (bool(own) and text[:2].lower() == "p/")


def _meaning(sign: str, expected: frozenset[str]) -> frozenset[str]:
    name = sign.lower()
    meant = SIGNS.get(name) or SIGNS.get(name.rstrip("."), frozenset())
    return meant if name.rstrip(".") not in LIKE_WORDS or meant & expected else frozenset()


def _hundredths(sign: str, expected: frozenset[str]) -> frozenset[str]:
    name = sign.lower().rstrip(".")
    meant = MINORS.get(name, frozenset())
    return meant if len(name) > 2 or name == "¢" or meant & expected else frozenset()
