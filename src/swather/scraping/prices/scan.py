"""The numbers in a text, each with its signs and with what stands around it."""

import re
from dataclasses import dataclass, replace
from typing import Final

from swather.errors import NotAPrice
from swather.scraping.prices.gap import Gap, split
from swather.scraping.prices.number import NUMBER
from swather.scraping.prices.signs import (
    LIKE_WORDS,
    MULTIPLIERS,
    MUST_TOUCH,
    OF_RUPEES,
    SIGNS,
    either,
)

MOST_NUMBERS: Final = 12
_GLUE: Final = ("€", "$", "£")
_EAST: Final = "万萬만億亿억千천"
_TAIL: Final = r"(?:[.,:] ?-{1,2}(?!\d)|/[-=](?!\w))?"
_SEEN: Final = re.compile(
    rf"(?P<number>{NUMBER}){_TAIL}(?:(?P<near>(?:(?i:k|mn)|M)(?![.\-]?\w))|(?P<space>[ \u00a0]?)"
    rf"(?P<many>[{_EAST}]|(?i:{either(set(MULTIPLIERS) - set(MUST_TOUCH))})(?![^\W\d_])\.?))?"
)
_SIGN_IN_BRACKETS: Final = re.compile(r"\( ?([^\W\d_]{2,3}\$?|[^\w\s()]) ?\)")
_PARTED: Final = re.compile(r"[^\d \u00a0]")
_RAISED: Final = re.compile(r"[¹²³¼-¾\u2070-\u209f\u2150-\u218f]")
_FRACTION: Final = re.compile(r"[ \u00a0][¼-¾\u2150-\u215f\u2189]")
_LIKE_DIGITS: Final = re.compile(r"[OoIl]{1,2}(?![^\W\d_])")
_SPLIT_SIGN: Final = re.compile(
    r"(?<![^\W\d_])(us|u\.s\.|ca|au|nz|hk|nt|sg|mx|ar|cl|rd) ?\$", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A number of the text.

    `signs` has the currencies that each of its signs may mean; `minor` says that it counts
    hundredths. `before` and `after` reach to its neighbours, in lower case and without signs.
    `many` is the word that multiplies it, `apart` if a space is between. `touches` is the character
    to its left, or to that of its sign. `plus` is what is to be added:
    the kopeks after roubles, the rest after 万.
    """

    written: str
    many: str
    signs: tuple[frozenset[str], ...]
    minor: bool
    before: str
    after: str
    touches: str
    apart: bool = False
    plus: "Seen | None" = None

    @property
    def factor(self) -> int:
        return MULTIPLIERS[self.many.lower().rstrip(".")] if self.many else 1

    @property
    def counts_in_myriads(self) -> bool:
        return self.many != "" and self.many in _EAST


def numbers_in(text: str, expected: frozenset[str]) -> list[Seen]:
    """All of them; signs that are words, too, count if they mean one of the `expected`."""
    text = _SPLIT_SIGN.sub(lambda found: found[1].replace(".", "") + "$", text)
    text = _SIGN_IN_BRACKETS.sub(_without_brackets, text)
    found = list(_SEEN.finditer(text))
    if len(found) > MOST_NUMBERS:
        raise NotAPrice(f"it has more than {MOST_NUMBERS} numbers")
    for match in found:
        beside = (
            text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
        )
        if _RAISED.search(beside) or _FRACTION.match(text, match.end()):
            raise NotAPrice(f"a fraction or a raised digit touches {match['number']!r}")
    gaps: list[Gap] = []
    for number in range(len(found) + 1):
        start = found[number - 1].end() if number else 0
        end = found[number].start() if number < len(found) else len(text)
        own = gaps[-1].prefixes if gaps else ()
        gap = text[start:end]
        gaps.append(split(gap, expected, own, first=number == 0, last=number == len(found)))
        if own and _LIKE_DIGITS.match(text, start):
            raise NotAPrice(f"{text[start]!r} touches the number {found[number - 1]['number']!r}")
    seen = [
        Seen(
            written=match["number"],
            many=match["near"] or match["many"] or "",
            apart=bool(match["space"]),
            signs=(*left.prefixes, *right.suffixes),
            minor=right.minor,
            before=left.middle.lower(),
            after=right.middle.lower(),
            touches=left.touches,
        )
        for match, left, right in zip(found, gaps, gaps[1:], strict=False)
    ]
    for one in seen:
        _check_signs(one, expected)
    return _joined(seen)


def _without_brackets(found: re.Match[str]) -> str:
    return f" {found[1]} " if found[1].lower() in SIGNS or found[1].lower() == "us" else found[0]


def _check_signs(seen: Seen, expected: frozenset[str]) -> None:
    """Pounds and pence of one number contradict each other, and a word may mean two things."""
    if seen.minor and (len(seen.signs) > 1 or seen.written[:2] in {"0.", "0,"}):
        raise NotAPrice(f"{seen.written!r} may count a currency or its hundredths")
    name = seen.many.lower().rstrip(".")
    meant = frozenset.intersection(*seen.signs) if seen.signs else expected
    if name in OF_RUPEES and not meant & OF_RUPEES[name]:
        raise NotAPrice(f"{seen.many!r} stands behind {seen.written!r}, which is not multiplied")
    if name in LIKE_WORDS and SIGNS[name] & expected:
        raise NotAPrice(f"{seen.many!r} behind {seen.written!r} may be a sign or a large number")


def _joined(seen: list[Seen]) -> list[Seen]:
    """Two numbers that are one amount as one: roubles and kopeks, 12€50, 3万5千."""
    joined: list[Seen] = []
    for number in seen:
        if joined and joined[-1].plus is None and _belongs_to(number, joined[-1]):
            before = joined.pop()
            signs = (*before.signs, *number.signs)
            rest = replace(number, minor=not before.counts_in_myriads)
            joined.append(replace(before, plus=rest, signs=signs, after=number.after))
        else:
            joined.append(number)
    return joined


def _belongs_to(number: Seen, before: Seen) -> bool:
    if before.after.strip(" \u00a0"):
        return False
    if before.counts_in_myriads and not before.signs:
        return number.factor < before.factor
    if not before.signs or _PARTED.search(before.written) or len(number.written) != 2:
        return False
    glued = not number.signs and number.touches in _GLUE and before.after == ""
    return number.minor or glued
