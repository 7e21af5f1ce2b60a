"""How much is in a pack, and what one unit of it costs."""

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import prod
from typing import Final

from swather.errors import NotAPack, NotAPrice
from swather.scraping.prices.currencies import MARK_OF
from swather.scraping.prices.number import NUMBER, read_number
from swather.scraping.prices.pack_words import (
    CONTAINERS,
    FORMS,
    MEASURES,
    OF,
    OF_A_PIECE,
    TIMES,
)
from swather.scraping.prices.signs import either
from swather.scraping.prices.written import LONGEST, plain

_MOST_PIECES: Final = 1_000_000
_PLACES: Final = Decimal("0.0001")
_ALONE: Final = r"(?![^\W\d_\u2e80-\U0003ffff])"
_ITEM: Final = re.compile(
    rf"(?P<number>(?:(?<=\d[xх×*])|(?<![^\W_\u2e80-\U0003ffff])(?<![.,]))(?:{NUMBER}))[ \u00a0-]?"
    rf"(?:(?P<measure>{either(MEASURES)}){_ALONE}|(?P<form>{either(FORMS)}){_ALONE}|"
    rf"(?P<container>{either(CONTAINERS)}){_ALONE}|(?P<apostrophe>'?s){_ALONE})?\.?"
)
_BETWEEN: Final = re.compile(
    rf"[\s,(]*(?:(?P<times>{either(TIMES)})|(?:(?:{either(CONTAINERS)}){_ALONE}\s*)?"
    rf"(?P<of>{either(OF)}){_ALONE})?[\s(]*"
)
# "500 mg N20": a number sign behind a size or a form, while N95 is a name.
_NUMERO: Final = re.compile(
    rf"(?<![^\W\d_])(?P<what>(?:{either(MEASURES)}|{either(FORMS)})[\s,.(]+)n[°º]?\s?(?=\d)"
)
_COUNTED: Final = re.compile(r"(№ ?\d+)(?=[ \u00a0]\d)")
_TWO_NUMBERS: Final = re.compile(r"[ \u00a0][1-9]")
_BEFORE: Final = re.compile(
    rf"(?:{either(CONTAINERS)}){_ALONE}[\s:]*(?:{either(OF)}|x|×|à)?\s*\Z|[№x×]\s*\Z"
)


@dataclass(frozen=True, kw_only=True)
class Pack:
    """What a pack holds: `count` pieces of `size` `unit` each.

    `size` is None and `unit` '' where only pieces are counted. `form` is 'piece' for what is taken
    one by one, such as tablets, and '' for what is measured: then a unit price is per kg or litre.
    """

    count: int
    size: Decimal | None
    unit: str
    form: str
    raw: str


@dataclass(frozen=True, kw_only=True)
class UnitPrice:
    """An amount, rounded to four decimals, for one `unit`: 'piece', 'kg', 'l' or 'm'."""

    amount: Decimal
    unit: str


def unit_price(amount: Decimal, pack: Pack) -> UnitPrice:
    """What one piece costs, or a kilogram or litre of what is measured."""
    if pack.form or pack.size is None:
        return UnitPrice(amount=(amount / pack.count).quantize(_PLACES), unit="piece")
    base, factor = MEASURES[pack.unit]
    whole = pack.count * pack.size * factor
    return UnitPrice(amount=(amount / whole).quantize(_PLACES), unit=base)


def parse_pack(text: str, *, country: str | None = None) -> Pack:
    """'30 tablets x 500 mg', '6 x 330 ml', '1kg', 'strip of 10'; other words may stand around it.

    NotAPack, with the reason, if no size is named or it is not clear which.
    """
    if len(text) > LONGEST:
        raise NotAPack(f"a text of {len(text):,} characters does not name a pack")
    written = _COUNTED.sub(r"\1,", _NUMERO.sub(r"\g<what>№", plain(text).lower()))
    try:
        return _pack(written, text.strip(), MARK_OF.get((country or "").lower()))
    except (NotAPack, NotAPrice) as error:
        raise NotAPack(f"{text[:80]!r} does not name a pack: {error}") from None


def _pack(written: str, raw: str, mark: str | None) -> Pack:
    items = [item for item in _ITEM.finditer(written) if not _is_strength(written, item)]
    if not items:
        raise NotAPack("no number with a unit")
    measures = [item for item in items if item["measure"]]
    if len(measures) > 1:
        raise NotAPack("it names several sizes")
    counted = [item for item in items if not item["measure"]]
    for item in counted:
        if not item["number"].isdigit() or int(item["number"]) == 0:
            raise NotAPack(f"{item['number']!r} does not count pieces")
    for left, right in pairwise(items):
        _check_between(written, left, right)
    if len(items) == 1 and _is_bare(items[0]) and not _BEFORE.search(written[: items[0].start()]):
        raise NotAPack(f"what the number {items[0]['number']!r} counts is not said")
    count = prod(int(item["number"]) for item in counted)
    if count > _MOST_PIECES:
        raise NotAPack(f"{count:,} pieces are too many")
    size = read_number(measures[0]["number"], mark) if measures else None
    if size == 0:
        raise NotAPack("a size of 0")
    unit = measures[0]["measure"] if measures else ""
    if unit in OF_A_PIECE and _TWO_NUMBERS.search(measures[0]["number"]):
        raise NotAPack(f"{measures[0]['number']!r} may be two numbers")
    pieces = (
        any(item["form"] or item["apostrophe"] for item in counted)
        or any(_is_numbered(written, item) for item in counted)
        or (unit in OF_A_PIECE and count > 1)
    )
    return Pack(
        count=count,
        size=size,
        unit=unit,
        form="piece" if pieces or size is None else "",
        raw=raw,
    )


def _is_strength(written: str, item: re.Match[str]) -> bool:
    """The 500 mg/5 ml of a syrup says how strong it is, and 5 % how much is in it."""
    after = written[item.end() :].lstrip()
    before = written[: item.start()].rstrip()
    if after.startswith("%"):
        return True
    per = after[:1] == "/" and after[1:2].isdigit()
    return bool(item["measure"]) and (per or before.endswith("/"))


def _is_bare(item: re.Match[str]) -> bool:
    return not (item["measure"] or item["form"] or item["apostrophe"])


def _is_numbered(written: str, item: re.Match[str]) -> bool:
    return written[: item.start()].rstrip().endswith("№")


def _check_between(written: str, left: re.Match[str], right: re.Match[str]) -> None:
    """Two counts multiply only if the text says so; a count and a size just stand together."""
    between = _BETWEEN.fullmatch(written[left.end() : right.start()])
    joined = between and (between["times"] or between["of"])
    if joined:
        return
    if (left["measure"] or right["measure"]) and not (_is_bare(left) or _is_bare(right)):
        return
    if right["measure"] and _is_numbered(written, left):
        return
    if left["measure"] and _is_bare(right) and _BEFORE.search(written[: right.start()]):
        return
    raise NotAPack(f"how {left[0]!r} and {right[0]!r} belong together is not said")
