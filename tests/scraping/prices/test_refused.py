"""Texts that hold no price, or one that can be read in two ways: the reason, never a guess."""

import pytest

from swather.errors import InputError
from swather.scraping.prices import NotAPrice, parse_price

REFUSED = [
    ("1.234", None, "two ways"),
    ("1,234 €", None, "two ways"),
    ("1.234 USD", None, "two ways"),
    ("1 234.567", None, "two ways"),
    ("1,234", "za", "two ways"),
    ("$12.50", None, "may mean"),
    ("12 kr", None, "may mean"),
    ("¥1,200", None, "may mean"),
    ("Rs. 499", None, "may mean"),
    ("$12.50", "de", "may mean"),
    ("€ 12.50 USD", None, "different currencies"),
    ("+1 800 555 1234", "us", "phone"),
    ("020 7946 0018", "gb", "not grouped|several|begins with 0"),
    ("555-0199", "us", "hyphens"),
    ("0800 123 456", None, "phone"),
    ("800 555 123", None, "phone"),
    ("12.05.2024", "de", "not grouped"),
    ("2024-05-12", None, "hyphens"),
    ("12/05/2024", None, "'/'"),
    ("5 May 2024", "us", "several numbers"),
    ("12:30", None, "':'"),
    ("20 %", None, "percentage"),
    ("20% off", "us", "percentage"),
    ("$10 - $20", "us", "several prices"),
    ("10–20 €", None, "range"),
    ("from 10 to 20 €", None, "beside it"),
    ("call us", "us", "no number"),
    ("Price on request", None, "no number"),
    ("", None, "no number"),
    ("v1.2.3", None, "touches|not grouped"),
    ("version 2.10", None, "is not known"),
    ("10.0.0.1", None, "not grouped"),
    ("-12.50 €", None, "negative"),
    ("−12,50 €", None, "negative"),
    ("€ -5", None, "negative"),
    ("(12.50)", "us", "negative"),
    ("£12 £15", None, "several prices"),
    ("$12 (€11)", "us", "several prices"),
    ("3 for 2", None, "an offer"),
    ("3 for 2", "us", "an offer"),
    ("1,234 reviews", "us", "not the price"),
    ("1,234 sold", "us", "is not known"),
    ("4.5 stars", "us", "is not known"),
    ("500 mg", "in", "a size"),
    ("up to €50", None, "a bound"),
    ("ca. 50 €", None, "approximate"),
    ("Save $5", "us", "not the price"),
    ("Shipping: €4.99", None, "not the price"),
    ("was £20", None, "an old price"),
    ("$ 1,234", "co", "two ways"),
    ("$ 12.900", "mx", "two ways"),
    ("$1.5 billion", "us", "not multiplied"),
    ("£1m", None, "not multiplied"),
    ("R$ 3 mil", None, "not multiplied"),
    ("1.234 млн руб.", "ru", "two ways"),
    ("EUR/USD 1.0845", None, "rate"),
    ("12.99 EUR/USD", None, "rate"),
    ("+ $12.50", "us", "surcharge"),
    ("₹ 499 for 3 months", None, "beside it"),
    ("12 x R$ 99,90", None, "beside it"),
    ("TOP 10", None, "is not known"),
    ("iPhone 15 128 GB", "us", "is not known"),
    ("Model 2 499 ₹", None, "two numbers"),
    ("1,2345 €", None, "two ways"),
    ("1,23,45 €", None, "not grouped"),
    ("1.234,567.89 €", None, "not grouped"),
    ("USD.99", None, "touches"),
    ("¥12.50", "jp", "no decimals"),
    ("12½ €", None, "fraction"),
    ("$29.99/mo", "us", "not the price"),
    ("1" * 40, "us", "more than 15 digits"),
]


@pytest.mark.parametrize(("text", "country", "why"), REFUSED)
def test_what_is_not_a_price_is_refused_with_the_reason(text: str, country: str | None, why: str):
    with pytest.raises(NotAPrice, match=why):
        parse_price(text, country=country)


@pytest.mark.parametrize(
    "text",
    ["1" * 1_000_000, "1 " * 500_000, "1." * 500_000, "$" * 1_000_000, " " * 1_000_000,
     "1,000" * 200, "万" * 999, "1万" * 499, "(" * 999 + "-1", "a" * 998 + "1", "1" + "⁹" * 900,
     "\n1" * 400, "per " * 249 + "1", "incl " * 199 + "-1 €"],
)  # fmt: skip
def test_hostile_text_is_refused_quickly(text: str):
    with pytest.raises(NotAPrice) as refused:
        parse_price(text, country="us")
    assert len(str(refused.value)) < 1_000


def test_a_reason_shows_no_control_characters():
    with pytest.raises(NotAPrice) as refused:
        parse_price("\x1b[31m call us")
    assert "\x1b" not in str(refused.value)


def test_hints_that_do_not_exist_are_a_mistake_of_the_caller():
    with pytest.raises(InputError, match="there is no currency 'EURO'"):
        parse_price("12", currency="EURO")
    with pytest.raises(InputError, match="there is no country 'uk', is 'gb' meant"):
        parse_price("12", country="uk")
