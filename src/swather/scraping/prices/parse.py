"""A price from text: one amount, or the reason why there is none."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from swather.errors import InputError, NotAPrice
from swather.model.countries import no_country
from swather.scraping.prices.currencies import (
    CODES,
    CURRENCY_OF,
    MARK_OF,
    MINOR_DIGITS,
    mark_of_currency,
)
from swather.scraping.prices.number import read_number
from swather.scraping.prices.price import Price
from swather.scraping.prices.roles import Role, Said, follows_a_word, said_around, unknown_words
from swather.scraping.prices.scan import Seen, numbers_in
from swather.scraping.prices.signs import USUAL
from swather.scraping.prices.written import LONGEST, plain

_SHOWN: Final = 80
_AMONG_PRICES: Final = frozenset({Role.PERCENT, Role.SIZE, Role.QUANTITY, Role.OFFER, Role.OTHER})


def parse_price(text: str, *, currency: str | None = None, country: str | None = None) -> Price:
    """The price in a text, as a page of this country writes it.

    `country` is a code such as 'in', or 'ca-qc' for Quebec. It decides what a notation means that
    is written in several ways, as 1.234 and $ are; `currency`, an ISO code, decides where there is
    no country. NotAPrice, with the reason, if there is no price, more than one, or one that can be
    read in two ways.
    """
    reader = _Reader(currency, country)
    if len(text) > LONGEST and len(text := " ".join(text[: 20 * LONGEST].split())) > LONGEST:
        raise NotAPrice(f"a text of more than {LONGEST:,} characters is not a price")
    try:
        return reader.price_in(text)
    except NotAPrice as error:
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
        raise NotAPrice(f"{shown!r} is not a price: {error}") from None


class _Reader:
    def __init__(self, currency: str | None, country: str | None) -> None:
        self.currency = (currency or "").upper()
        self.country = (country or "").lower()
        if self.currency and self.currency not in CODES:
            raise InputError(f"there is no currency {currency!r}: use an ISO code such as EUR")
        if self.country and (why := no_country(self.country.partition("-")[0])):
            raise InputError(f"{why}: use a code of two letters such as 'in'")
        own = CURRENCY_OF.get(self.country.partition("-")[0], "")
        self.expected = frozenset({self.currency, own} - {""})
        self.default = self.currency or own

    def price_in(self, text: str) -> Price:
        written = plain(text)
        said = said_around(numbers_in(written, self.expected))
        if not said:
            raise NotAPrice("it has no number")
        if written[0] == "(" and written[-1] == ")" and len(said) == 1:
            raise NotAPrice("an amount in parentheses may be negative")
        signed = [one for one in said if one.seen.signs]
        chosen = self._chosen(signed) if signed else _only(said)
        if signed:
            _check_others(said)
        code = self.currency_of(chosen.seen)
        old = next(
            (one for one in said if one.role in {Role.OLD, Role.LIST} and one != chosen), None
        )
        return Price(
            amount=self.amount_of(chosen),
            currency=code,
            raw=text.strip(),
            is_from=chosen.is_from,
            per=chosen.per,
            quantity=chosen.quantity,
            old=self.amount_of(old) if old else None,
        )

    def _chosen(self, signed: Sequence[Said]) -> Said:
        """The one price among those with a sign."""
        prices = [one for one in signed if one.role is Role.PRICE]
        prices = [one for one in prices if not one.per] or prices
        prices = prices or [one for one in signed if one.role is Role.LIST]
        if not prices:
            raise NotAPrice(signed[0].role)
        amounts = {(self.amount_of(one), self.currency_of(one.seen)) for one in prices}
        if len(amounts) > 1:
            listed = ", ".join(sorted({one.seen.written for one in prices}))
            raise NotAPrice(f"it has several prices: {listed}")
        return prices[0]

    def currency_of(self, seen: Seen) -> str:
        """By its signs; what they leave open is decided by the hints."""
        if not seen.signs:
            return self.default
        meant = frozenset.intersection(*seen.signs)
        if not meant:
            raise NotAPrice("its signs are of different currencies")
        if len(meant) == 1:
            return next(iter(meant))
        for code in (self.currency, CURRENCY_OF.get(self.country.partition("-")[0], "")):
            if code in meant:
                return code
        usual = meant & USUAL
        if len(usual) == 1 and "USD" not in meant:
            return next(iter(usual))
        listed = ", ".join(sorted(meant)[:5])
        raise NotAPrice(
            f"its sign may mean {len(meant)} currencies ({listed}{', …' * (len(meant) > 5)}): name "
            "the country or the currency"
        )

    def amount_of(self, said: Said) -> Decimal:
        seen = said.seen
        code = self.currency_of(seen)
        amount = self._read(seen, code, is_fine=bool(said.per or seen.many))
        if seen.plus is not None:
            rest = self._rest(seen.plus, code)
            if rest >= seen.factor and seen.counts_in_myriads:
                raise NotAPrice(f"{seen.plus.written!r} is too large to be added")
            amount += rest
        free = said.per or seen.many or MINOR_DIGITS.get(code, 2)
        if not free and amount != amount.to_integral_value():
            raise NotAPrice(f"{code} has no decimals")
        return amount

    def _rest(self, seen: Seen, code: str) -> Decimal:
        """Kopeks may begin with a 0; the other numbers may not."""
        is_minor = seen.minor and seen.written.isdigit()
        return Decimal(seen.written) / 100 if is_minor else self._read(seen, code)

    def _read(self, seen: Seen, code: str, *, is_fine: bool = False) -> Decimal:
        """With `is_fine` it may have more decimals than its currency."""
        if " " in seen.written and follows_a_word(seen):
            raise NotAPrice(f"{seen.written!r} may be two numbers")
        mark = MARK_OF.get(self.country) if self.country else mark_of_currency(code)
        decimals = None if is_fine else MINOR_DIGITS.get(code, 2)
        amount = read_number(seen.written, mark, decimals=decimals)
        if (
            seen.many
            and amount >= 1_000
            and amount != read_number(seen.written, ".", decimals=None)
        ):
            raise NotAPrice(f"{seen.written!r} before {seen.many!r} can be read in two ways")
        return amount * seen.factor / (100 if seen.minor else 1)


def _only(said: Sequence[Said]) -> Said:
    """The only number of a text without signs, if nothing unknown is said around it."""
    if len(said) == 2 and said[0].per and said[1].role is Role.SIZE:
        return said[0]
    if len(said) > 1:
        role = said[0].role if said[0].role is Role.OFFER else "several numbers, none with a sign"
        raise NotAPrice(role)
    one = said[0]
    if one.role not in {Role.PRICE, Role.LIST}:
        raise NotAPrice(one.role)
    if words := unknown_words(one):
        raise NotAPrice(f"no currency, and what {words[:_SHOWN]!r} means is not known")
    if one.seen.written.count(" ") > 1:
        raise NotAPrice("no currency, and it may be a phone number")
    return one


def _check_others(said: Sequence[Said]) -> None:
    """A number that is neither a price nor anything known makes the others doubtful."""
    for one in said:
        if not one.seen.signs and one.role not in _AMONG_PRICES:
            raise NotAPrice(f"what the number {one.seen.written!r} beside it means is not known")
