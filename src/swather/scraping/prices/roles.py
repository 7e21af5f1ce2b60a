"""What each number of a text is: the price, an old one, a percentage, the size of a pack."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from swather.errors import NotAPrice
from swather.scraping.prices import phrases
from swather.scraping.prices.currencies import CODES
from swather.scraping.prices.scan import Seen
from swather.scraping.prices.signs import LARGE_OF

_AROUND: Final = r"[\s:.,(*|-]*"
_LETTER: Final = re.compile(r"[^\W\d_]")
_HARMLESS: Final = re.compile(r"[\s:.,;()*!|-]*")
_KNOWN: Final = re.compile(
    f"{phrases.TAX}|{phrases.FROM}|{phrases.FROM_AFTER}|{phrases.OLD}|{phrases.LIST}|{phrases.PER}"
    f"|{phrases.LABELS}"
)
_PER: Final = re.compile(rf"[\s(]*(?:p(?=/))?{phrases.PER}")
_PER_ANY: Final = re.compile(r"\s*p?/\s*([^\W\d_]{1,20})")
_PER_SIZE: Final = re.compile(r"\s*(?:/|per|pro|par|je|por|за)\s*")
_UNIT: Final = re.compile(rf"[ \u00a0]?({phrases.UNIT})")
_MEASURE: Final = re.compile(rf"[ \u00a0]?{phrases.MEASURE}")
_PER_BEFORE: Final = re.compile(
    rf"(?:{phrases.PER_BEFORE}|/)({phrases.UNIT})(?:{_AROUND}(?:{phrases.LABELS}|{phrases.FROM}))?[\s:.,=]*\Z"
)
_PER_A_SIZE: Final = re.compile(rf"{phrases.PER_BEFORE}\Z")
_IS_SIZE: Final = re.compile(rf"[ \u00a0]?({phrases.UNIT})[\s:.=]*")
_RANGE: Final = re.compile(rf"\s*(?:~|{phrases.BOUND})\s*")
_FOR: Final = re.compile(rf"\s*{phrases.FOR}\s*")
_COUNTS: Final = re.compile(rf"\s*(?:{phrases.UNIT})?\.?\s*{phrases.FOR}\s*")
_EQUALS: Final = re.compile(rf"\s*({phrases.UNIT})\.?\s*=\s*")
_LARGE: Final = re.compile(rf"[ \u00a0]*({phrases.LARGE})(?!-\w)")
_PERCENT: Final = re.compile(r"\s*[%٪]")
_ASIDE: Final = r"[\s:.,;()*|!-]*"
_SAVED_BETWEEN: Final = re.compile(
    rf"(?P<left>{_ASIDE})(?:(?P<next>{phrases.SAVED_BEFORE})|{phrases.SAVED_AFTER})(?P<right>{_ASIDE})"
)
_PARTS: Final = frozenset(".,;|()!-\n")
_SPACES: Final = frozenset(" \u00a0\n")
_TIMES: Final = re.compile(r"\s*[x×*]\s*")


class Role(StrEnum):
    """What a number is, seen from its neighbours."""

    PRICE = "a price"
    OLD = "an old price"
    LIST = "a list price"
    OTHER = "an amount that is not the price, such as shipping or what is saved"
    BOUND = "a bound, not a price"
    ABOUT = "an approximate price"
    PERCENT = "a percentage"
    SIZE = "a size"
    QUANTITY = "a quantity"
    OFFER = "an offer without a price"


@dataclass(frozen=True, kw_only=True)
class Said:
    """A number with its role, and what was said of it.

    `is_aside`: it stands in brackets. `is_now`: "now" or "our price" stands before it.
    """

    seen: Seen
    role: Role
    is_from: bool = False
    per: str = ""
    quantity: int = 1
    is_aside: bool = False
    is_now: bool = False


def said_around(numbers: list[Seen]) -> list[Said]:
    """The role of each number; NotAPrice for what no price stands beside: -5, 10-20, 12:30."""
    for number, seen in enumerate(numbers):
        _check_edge(seen, follows=number > 0)
    return list(_said(numbers))


def _said(numbers: list[Seen]) -> Iterator[Said]:
    quantity, is_from, depth = 1, False, 0
    for number, seen in enumerate(numbers):
        depth += seen.before.count("(") - seen.before.count(")")
        following = numbers[number + 1] if number + 1 < len(numbers) else None
        before = numbers[number - 1] if number else None
        is_from = is_from or bool(_ends(seen.before, phrases.FROM))
        if following and _counts(seen):
            if following.signs:
                quantity = int(seen.written)
            yield Said(seen=seen, role=Role.QUANTITY if following.signs else Role.OFFER)
            continue
        if before and before.signs and _is_counted(seen):
            yield Said(seen=seen, role=Role.QUANTITY)
            continue
        offered = before is not None and not seen.signs and _counts(before)
        if seen.signs and following and _is_counted(following):
            quantity = int(following.written)
        yield Said(
            seen=seen,
            role=Role.OFFER if offered else _role(before, seen, following),
            is_from=is_from or _is_from(seen, following),
            per=_per_before(before, seen) or _per(seen, following),
            quantity=quantity,
            is_aside=depth > 0,
            is_now=_ends(seen.before, phrases.NOW),
        )
        quantity, is_from = 1, False


def _is_from(seen: Seen, following: Seen | None) -> bool:
    """Whether it is said after the price: "12.50+", "NT$1,200 起"."""
    plus = seen.after.startswith("+") and following is None and not seen.after[1:].strip()
    return plus or _starts(seen.after, phrases.FROM_AFTER)


def _counts(seen: Seen) -> bool:
    """Whether it is the 3 in "3 for 10"."""
    if seen.signs or not seen.written.isdigit() or len(seen.written) > 3:
        return False
    return _COUNTS.fullmatch(seen.after) is not None


def _is_counted(seen: Seen) -> bool:
    """Whether it is the 3 in "€10 for 3 pieces"."""
    if seen.signs or not seen.written.isdigit() or not 0 < int(seen.written[:4]) < 1_000:
        return False
    ends = not seen.after.strip(" .,;!)\n\u00a0") or _UNIT.match(seen.after)
    return bool(ends and _FOR.fullmatch(seen.before) and not _MEASURE.match(seen.after))


def _per_before(before: Seen | None, seen: Seen) -> str:
    """The unit of "100 ml = 2.50", "per kg: 3.99" and "per 100 g: 0.40"."""
    if before is None:
        found = _PER_BEFORE.search(seen.before)
        return found[1] if found else ""
    if before.signs:
        return ""
    found = _EQUALS.fullmatch(before.after)
    if _PER_A_SIZE.search(before.before):
        found = _IS_SIZE.fullmatch(before.after)
    return f"{before.written} {found[1]}" if found else ""


def _role(before: Seen | None, seen: Seen, following: Seen | None) -> Role:  # noqa: PLR0911 - one line for each role
    if _PERCENT.match(seen.after):
        return Role.PERCENT
    if seen.signs:
        _check_behind(seen)
    if not seen.signs and _is_size(seen, following):
        return Role.SIZE
    if _ends(seen.before, phrases.PACK_BEFORE):
        raise NotAPrice(f"{seen.written!r} may be a size or a price")
    if _ends(seen.before, phrases.BOUND):
        return Role.BOUND
    if _ends(seen.before, phrases.ABOUT):
        return Role.ABOUT
    if _ends(seen.before, phrases.OLD):
        return Role.OLD
    if _is_other(before, seen, following):
        return Role.OTHER
    if _ends(seen.before, phrases.LIST):
        return Role.LIST
    return Role.PRICE


def _is_other(before: Seen | None, seen: Seen, following: Seen | None) -> bool:
    """What is saved or sent; a word between two prices that may be of either is of both."""
    ahead = _ends(seen.before, phrases.SAVED)
    if before and before.signs and (found := _SAVED_BETWEEN.match(seen.before)):
        ahead = (ahead or found[0].strip() == "off") and _owner(found) != "left"
    behind = _starts(seen.after, phrases.SAVED_AFTER)
    if following and following.signs and (found := _SAVED_BETWEEN.match(seen.after)):
        behind = _owner(found) != "right"
    return ahead or behind


def _owner(found: re.Match[str]) -> str:
    """The side that a word between two prices belongs to; '' if that is not clear."""
    if found["next"] or ":" in found["right"]:
        return "right"
    for parts in (_PARTS, _SPACES):
        left, right = parts & set(found["left"]), parts & set(found["right"])
        if bool(left) != bool(right):
            return "right" if left else "left"
    return ""


def _check_behind(seen: Seen) -> None:
    """Refuse a large number that is not multiplied, or may not be one: Thousand Island."""
    meant = frozenset.intersection(*seen.signs)
    large = None if _starts(seen.after, phrases.LIST) else _LARGE.match(seen.after)
    if large and LARGE_OF.get(large[1], meant) & meant:
        raise NotAPrice(f"{large[1]!r} stands behind {seen.written!r}, which is not multiplied")
    if seen.apart and seen.many.lower() in phrases.LIKE_NAMES and _is_named(seen.after):
        raise NotAPrice(f"{seen.many!r} behind {seen.written!r} may be a name")


def _is_named(after: str) -> bool:
    after = after.lstrip()
    return _LETTER.match(after) is not None and _KNOWN.match(after) is None


def _is_size(seen: Seen, following: Seen | None) -> bool:
    if _ends(seen.before, phrases.PACK_BEFORE) or _UNIT.match(seen.after):
        return True
    times = following is not None and _TIMES.fullmatch(seen.after)
    return bool(times and following and _UNIT.match(following.after) and not following.signs)


def _per(seen: Seen, following: Seen | None) -> str:
    if following and not following.signs and _PER_SIZE.fullmatch(seen.after):
        unit = _UNIT.match(following.after)
        return f"{following.written} {unit[1]}" if unit else ""
    if found := _PER.match(seen.after):
        return found["per"] or "piece"
    found = _PER_ANY.match(seen.after)
    if found and found[1].upper() in CODES:
        raise NotAPrice("a rate of two currencies")
    return found[1] if found else ""


def _ends(before: str, phrase: str) -> bool:
    lead = rf"(?:{_AROUND}(?:{phrases.LABELS}|{phrases.FROM}))?"
    return re.search(rf"{phrase}{lead}{_AROUND}\Z", before) is not None


def _starts(after: str, phrase: str) -> bool:
    return re.match(rf"{_AROUND}{phrase}", after) is not None


def _check_edge(seen: Seen, *, follows: bool) -> None:
    edge = seen.touches
    if follows and _RANGE.fullmatch(seen.before):
        raise NotAPrice("a range")
    if _PERCENT.match(seen.after) and edge in {"-", "+"}:
        return
    if edge == "-" or (seen.before.strip() == "-" and not follows):
        raise NotAPrice(
            "a range, a date or a number with hyphens" if follows else "a negative amount"
        )
    if edge == "+" or (seen.before.strip() == "+" and not follows):
        raise NotAPrice("a surcharge or a phone number: '+' stands before it")
    if edge == "/" and not follows:
        raise NotAPrice("'/' stands before it: a rate or a part of something")
    if edge in {"/", ":"} and follows and len(seen.before) == 1 and not _UNIT.match(seen.after):
        raise NotAPrice(f"numbers with {edge!r} between them: a date, a time or a ratio")
    if edge in {".", ",", "'", "·", "_", "\\"}:
        raise NotAPrice(f"{edge!r} touches the number {seen.written!r}")
    if edge and not seen.signs and not follows and edge not in " \n\u00a0:(*|~≈":
        raise NotAPrice(f"{edge!r} touches the number {seen.written!r}: a name or a code")


def unknown_words(said: Said) -> str:
    """What is left around a number without a sign, when all that is known is taken away."""
    around = f"{said.seen.before} \n {said.seen.after}"
    left = _KNOWN.sub(" ", around).strip()
    return "" if _HARMLESS.fullmatch(left) else left


def is_measured(per: str) -> bool:
    """Whether this unit of a price is a weight, a volume or a length, not a piece."""
    return _MEASURE.match(per.lstrip("0123456789 \u00a0")) is not None


def follows_a_word(seen: Seen) -> bool:
    """Whether an unknown word stands before it: what looks like 2 499 may be 2 and 499."""
    left = _KNOWN.sub(" ", seen.before)
    return _LETTER.search(left) is not None
