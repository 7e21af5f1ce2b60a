"""A price from text: one amount, or the reason why there is none."""

import re
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
from swather.scraping.prices.number import read_data, read_number
from swather.scraping.prices.price import Price
from swather.scraping.prices.roles import (
    Role,
    Said,
    follows_a_word,
    is_measured,
    said_around,
    unknown_words,
)
from swather.scraping.prices.scan import Seen, numbers_in
from swather.scraping.prices.signs import USUAL
from swather.scraping.prices.written import LONGEST, plain

_SHOWN: Final = 80
_ROUNDED: Final = Decimal("0.01")
# Codes and phone numbers have as many digits without a mark.
_BARE: Final = re.compile(r"\d{9,15}")
_BEFORE: Final = frozenset({Role.OLD, Role.LIST})
_AMONG_PRICES: Final = frozenset({Role.PERCENT, Role.SIZE, Role.QUANTITY, Role.OFFER, Role.OTHER})


def parse_price(
    text: str,
    *,
    currency: str | None = None,
    country: str | None = None,
    for_machines: bool = False,
) -> Price:
    """The price in a text, as a page of this country writes it.

    `country` is a code such as 'in', or 'ca-qc' for Quebec. It decides what a notation means that
    is written in several ways, as 1.234 and $ are; `currency`, an ISO code, decides where there is
    no country. `for_machines` says that the text is data, such as JSON-LD has, where '.' is the
    decimal mark whatever the country: "12.345" in KWD. NotAPrice, with the reason, if there is no
    price, more than one, or one that can be read in two ways.
    """
    reader = _Reader(currency, country, for_machines=for_machines)
    if len(text) > LONGEST and len(text := " ".join(text[: 20 * LONGEST].split())) > LONGEST:
        raise NotAPrice(f"a text of more than {LONGEST:,} characters is not a price")
    try:
        return reader.price_in(text)
    except NotAPrice as error:
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
        raise NotAPrice(f"{shown!r} is not a price: {error}") from None


class _Reader:
    def __init__(
        self, currency: str | None, country: str | None, *, for_machines: bool = False
    ) -> None:
        self.for_machines = for_machines
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
        chosen = self._chosen(signed) if signed else self._only(said)
        if signed:
            _check_others(said)
        return Price(
            amount=self.amount_of(chosen),
            currency=self.currency_of(chosen.seen),
            raw=text.strip(),
            is_assumed=not chosen.seen.signs,
            is_from=chosen.is_from,
            per=chosen.per,
            quantity=chosen.quantity,
            old=self._old(said, chosen),
        )

    def _old(self, said: Sequence[Said], chosen: Said) -> Decimal | None:
        """What the same cost before; a lower one shows that the words belong to other numbers."""
        for one in said:
            if one.role not in _BEFORE or one is chosen:
                continue
            old, now = self.amount_of(one), self.amount_of(chosen)
            if one.seen.signs and self.currency_of(one.seen) != self.currency_of(chosen.seen):
                raise NotAPrice("the old price is of another currency")
            if one.per not in {"", chosen.per}:
                continue
            if old < now:
                raise NotAPrice(f"the old price {old} is lower than the price {now}")
            return old
        return None

    def _chosen(self, signed: Sequence[Said]) -> Said:
        """The one price among those with a sign."""
        prices = [one for one in signed if one.role is Role.PRICE]
        prices = self._of_the_whole(prices, signed)
        if not prices:
            raise NotAPrice(signed[0].role)
        amounts = {(self.amount_of(one), self.currency_of(one.seen)) for one in prices}
        if len(amounts) > 1:
            listed = ", ".join(sorted({one.seen.written for one in prices}))
            raise NotAPrice(f"it has several prices: {listed}")
        return prices[0]

    def _only(self, said: Sequence[Said]) -> Said:
        """The only number of a text without signs, if nothing unknown is said around it."""
        if len(said) == 2 and said[0].per and said[1].role is Role.SIZE:
            return said[0]
        if len(said) > 1:
            is_offer = said[0].role is Role.OFFER
            raise NotAPrice(Role.OFFER if is_offer else "several numbers, none with a sign")
        one = said[0]
        if one.role not in {Role.PRICE, Role.LIST}:
            raise NotAPrice(one.role)
        if words := unknown_words(one):
            raise NotAPrice(f"no currency, and what {words[:_SHOWN]!r} means is not known")
        if one.seen.written.count(" ") > 1:
            raise NotAPrice("no currency, and it may be a phone number")
        if not self.for_machines and _BARE.fullmatch(one.seen.written):
            raise NotAPrice("no currency, and it may be a phone number or a code")
        return one

    def _of_the_whole(self, prices: list[Said], signed: Sequence[Said]) -> list[Said]:
        """The prices of what is sold, without those of a unit of it that are said beside them."""
        whole = [one for one in prices if not one.per]
        units = [one for one in prices if one.per]
        before = [one for one in signed if one.role in _BEFORE and not one.per]
        if units and not whole and before and not units[0].is_now:
            if not units[0].is_aside or any(one.role is Role.OLD for one in before):
                raise NotAPrice("only a price before, and one that may be of a unit")
            return before
        for one in whole:
            for unit in units:
                self._check_offer(one, unit)
        return whole or units or [one for one in signed if one.role is Role.LIST]

    def _check_offer(self, one: Said, unit: Said) -> None:
        """Of "3 for 10, 4 each" neither is the price; of "2 for 5 (2.50 each)" it is the 5."""
        if one.quantity == 1 or is_measured(unit.per):
            return
        if abs(self.amount_of(one) / one.quantity - self.amount_of(unit)) > _ROUNDED:
            raise NotAPrice("it has one price for several and another for each")

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
        if self.for_machines:
            amount = read_data(seen.written, mark, decimals=decimals)
        else:
            amount = read_number(seen.written, mark, decimals=decimals)
        if (
            seen.many
            and amount >= 1_000
            and amount != read_number(seen.written, ".", decimals=None)
        ):
            raise NotAPrice(f"{seen.written!r} before {seen.many!r} can be read in two ways")
        return amount * seen.factor / (100 if seen.minor else 1)


def _check_others(said: Sequence[Said]) -> None:
    """A number that is neither a price nor anything known makes the others doubtful."""
    for one in said:
        if not one.seen.signs and one.role not in _AMONG_PRICES:
            raise NotAPrice(f"what the number {one.seen.written!r} beside it means is not known")
