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
    # A size, a name or a large number behind it.
    ("$19.99 M", "us", "not multiplied"),
    ("$19.99 CR", "us", "not multiplied"),
    ("£5 K. Smith", "gb", "not multiplied"),
    ("$3.99 Thousand Island", "us", "a name"),
    ("25 M", "us", "a size"),
    ("$1,299.00 M.N.", "us", "not multiplied"),
    ("12K", "zm", "a sign or a large number"),
    ("Rp129rb", "id", "not multiplied"),
    ("Rp 129 ribu", "id", "not multiplied"),
    ("Rp 1,2 juta", "id", "not multiplied"),
    ("₹85 L", "in", "not multiplied"),
    ("₹8.5L", "in", "not multiplied"),
    ("₹2 करोड़", "in", "not multiplied"),
    ("₫129 nghìn", "vn", "not multiplied"),
    ("₺1,5 bin", "tr", "not multiplied"),
    ("฿1.2ล้านบาท", "th", "not multiplied"),
    ("$1T", "us", "not multiplied"),
    # A currency and its hundredths.
    ("$0.99 cents", "us", "hundredths"),
    ("0.99 cents", "us", "hundredths"),
    ("12,99 € ct", "de", "hundredths"),
    ("RM5 sen", "my", "hundredths"),
    ("£7.50p", "gb", "hundredths"),
    ("450 p/w", "gb", "is not known"),
    ("45 p/kg", "gb", "is not known"),
    ("£2 p&p", "gb", "not the price"),
    # Words that may belong to the number before or after them.
    ("$29.99 MSRP $19.99", "us", "lower"),
    ("£30 RRP £25", "gb", "lower"),
    ("$29.99 regular price $19.99 sale price", "us", "lower"),
    ("$29.99 reg. $19.99", "us", "lower"),
    ("₹599 MRP ₹499", "in", "lower"),
    ("19,99 € UVP 12,99 €", "de", "lower"),
    ("10 € vorher 8 € jetzt", "de", "lower"),
    ("19,99 € antes 12,99 € ahora", "es", "lower"),
    ("19,99 € ancien prix 12,99 €", "fr", "lower"),
    ("€ 20,- adviesprijs € 15,-", "nl", "lower"),
    ("19,900원 정가 12,900원", "kr", "lower"),
    ("£30.00 was, £25.00 now", "gb", "lower"),
    ("was $20.00 now €15.00", "us", "another currency"),
    ("$5 savings $19.99", "us", "not the price"),
    ("$5 coupon $19.99", "us", "not the price"),
    ("$5 off $50", "us", "not the price"),
    ("5 € sparen 12,99 €", "de", "not the price"),
    ("5 € descuento 12,99 €", "es", "not the price"),
    ("300 ₽ экономия 1 299 ₽", "ru", "not the price"),
    ("NT$60 運費 NT$1,200", "tw", "not the price"),
    ("500円 送料 1,280円", "jp", "not the price"),
    ("EMI from ₹500", "in", "not the price"),
    ("No cost EMI ₹500", "in", "not the price"),
    ("£450 pcm", "gb", "not the price"),
    ("12 cuotas de $ 1.299", "ar", "beside it"),
    # A unit, a bound, a range, a code.
    ("MRP ₹938.88 ₹31.30/tablet", "in", "of a unit"),
    ("was £12.00 (£1.20 per 100g)", "gb", "of a unit"),
    ("£4 each or 3 for £10", "gb", "another for each"),
    ("£3.00 Any 2 for £5", "gb", "several prices"),
    ("<$12", "us", "a bound"),
    (">$12", "us", "a bound"),
    ("¥1,299～¥1,999", "jp", "a range"),
    ("$999 ~ $1,299", "tw", "a range"),
    ("10 € bis 20 €", "de", "a range"),
    ("от 10 ₽ до 20 ₽", "ru", "a range"),
    ("$12 ½", "us", "fraction"),
    ("$12 ¾", "us", "fraction"),
    ("$12.5O", "us", "touches"),
    ("5551234567", "us", "a phone number or a code"),
    ("9780140449136", "us", "a phone number or a code"),
    ("12 pesos", "us", "may mean"),
    ("$12.50 dólares canadienses", "us", "different currencies"),
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
