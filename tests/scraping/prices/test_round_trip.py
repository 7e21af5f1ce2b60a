"""What a locale writes is read as the same amount, whatever the amount is."""

import re
from decimal import Decimal
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from swather.scraping.prices import NotAPrice, parse_price
from swather.scraping.prices.currencies import CODES, CURRENCY_OF, MARK_OF


class Locale(NamedTuple):
    country: str
    currency: str
    group: str
    mark: str
    pattern: str
    places: int = 2


LOCALES = [
    Locale("de", "EUR", ".", ",", "{} €"),
    Locale("nl", "EUR", ".", ",", "€ {}"),
    Locale("fr", "EUR", "\u202f", ",", "{}\u00a0€"),
    Locale("ie", "EUR", ",", ".", "€{}"),
    Locale("us", "USD", ",", ".", "${}"),
    Locale("gb", "GBP", ",", ".", "£{}"),
    Locale("in", "INR", "lakh", ".", "₹{}"),
    Locale("in", "INR", "lakh", ".", "Rs. {}/-"),
    Locale("my", "MYR", ",", ".", "RM{}"),
    Locale("tw", "TWD", ",", ".", "NT$ {}"),
    Locale("jp", "JPY", ",", ".", "¥{}", 0),
    Locale("jp", "JPY", ",", ".", "{}円", 0),
    Locale("cn", "CNY", ",", ".", "¥{}"),
    Locale("kr", "KRW", ",", ".", "{}원", 0),
    Locale("ch", "CHF", "’", ".", "CHF {}"),
    Locale("ru", "RUB", "\u00a0", ",", "{} руб."),
    Locale("ru", "RUB", " ", ",", "{} ₽"),
    Locale("ar", "ARS", ".", ",", "$ {}"),
    Locale("br", "BRL", ".", ",", "R$ {}"),
    Locale("ca", "CAD", ",", ".", "${}"),
    Locale("ca-qc", "CAD", "\u00a0", ",", "{} $"),
    Locale("cl", "CLP", ".", ",", "${}", 0),
    Locale("vn", "VND", ".", ",", "{} ₫", 0),
    Locale("id", "IDR", ".", ",", "Rp {}"),
    Locale("tr", "TRY", ".", ",", "₺{}"),
    Locale("pl", "PLN", "\u00a0", ",", "{} zł"),
    Locale("se", "SEK", "\u00a0", ",", "{} kr"),
    Locale("dk", "DKK", ".", ",", "{} kr."),
    Locale("za", "ZAR", "\u00a0", ",", "R {}"),
    Locale("kw", "KWD", ",", ".", "KWD {}", 3),
    Locale("sa", "SAR", "٬", "٫", "{} ر.س"),
]
DIGITS = ["0123456789", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "０１２３４５６７８９", "०१२३४५६७८९"]


def written(amount: Decimal, locale: Locale) -> str:
    whole, _, fraction = f"{amount:f}".partition(".")
    if locale.group == "lakh":
        head, tail = whole[:-3], whole[-3:]
        whole = ",".join([*re.findall(r"\d{1,2}(?=(?:\d\d)*$)", head), tail])
    else:
        whole = f"{int(whole):,}".replace(",", locale.group)
    number = whole + (locale.mark + fraction if fraction else "")
    return locale.pattern.format(number)


@st.composite
def priced(draw: st.DrawFn) -> tuple[Decimal, Locale]:
    locale = draw(st.sampled_from(LOCALES))
    places = draw(st.sampled_from(sorted({0, locale.places})))
    cents = draw(st.integers(0, 10**12))
    return Decimal(cents).scaleb(-places), locale


@given(priced(), st.sampled_from(DIGITS))
def test_what_a_locale_writes_is_read_back(given_price: tuple[Decimal, Locale], digits: str):
    amount, locale = given_price
    text = written(amount, locale).translate(str.maketrans("0123456789", digits))
    price = parse_price(text, country=locale.country)
    assert (price.amount, price.currency) == (amount, locale.currency)


@given(priced())
def test_without_a_hint_it_is_the_same_amount_or_none(given_price: tuple[Decimal, Locale]):
    amount, locale = given_price
    try:
        price = parse_price(written(amount, locale))
    except NotAPrice:
        assume(False)
        raise
    assert (price.amount, price.currency) == (amount, locale.currency)


@given(st.text(max_size=60) | st.text("0123456789.,' -/%$€₹£¥万x()forus\u00a0\n", max_size=30))
def test_any_text_is_a_price_or_refused(text: str):
    try:
        price = parse_price(text)
    except NotAPrice:
        return
    assert price.amount >= 0
    assert price.currency == "" or price.currency in CODES


@pytest.mark.parametrize("country", sorted(MARK_OF))
def test_every_country_with_a_mark_has_a_currency(country: str):
    assert country.partition("-")[0] in CURRENCY_OF
