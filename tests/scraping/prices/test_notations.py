"""Notations of prices that are read, by country."""

from decimal import Decimal

import pytest

from swather.scraping.prices import parse_price

# text, country, currency (hints), then amount and currency that are meant.
RIGHT = [
    # Marks that leave no doubt.
    ("1.234,56 €", "", "", "1234.56", "EUR"),
    ("€ 1,234.56", "", "", "1234.56", "EUR"),
    ("1 234,56 €", "", "", "1234.56", "EUR"),
    ("1\u00a0234,56\u00a0€", "", "", "1234.56", "EUR"),
    ("1\u202f234,56\u202f€", "", "", "1234.56", "EUR"),
    ("1\u2009234\u2009567,89 €", "", "", "1234567.89", "EUR"),
    ("1.234.567 €", "", "", "1234567", "EUR"),
    ("CHF 1'234.56", "", "", "1234.56", "CHF"),
    ("Fr. 1’234.50", "ch", "", "1234.50", "CHF"),
    ("12,5 €", "", "", "12.5", "EUR"),
    ("0,234 €", "", "", "0.234", "EUR"),
    ("12·50 £", "", "", "12.50", "GBP"),
    ("12⁹⁹ €", "", "", "12.99", "EUR"),
    ("12€50", "", "", "12.50", "EUR"),
    ("$.99", "us", "", "0.99", "USD"),
    # Marks that the country or the currency decides.
    ("1.234 €", "de", "", "1234", "EUR"),
    ("1,234 €", "ie", "", "1234", "EUR"),
    ("1.459 €/l", "ie", "", "1.459", "EUR"),
    ("1,459 € / Liter", "de", "", "1.459", "EUR"),
    ("-20% 15,99 €", "", "", "15.99", "EUR"),
    ("(100 ml = 2,50 €) 5,00 €", "", "", "5.00", "EUR"),
    ("Price $12.50 + $3 shipping", "us", "", "12.50", "USD"),
    ("1.234", "ar", "", "1234", "ARS"),
    ("1,234", "us", "", "1234", "USD"),
    ("USD 1,234", "", "", "1234", "USD"),
    ("12.000 ₫", "", "", "12000", "VND"),
    ("KWD 1.250", "", "", "1.250", "KWD"),
    ("1,234", "", "INR", "1234", "INR"),
    ("1,234.50 $", "ca", "", "1234.50", "CAD"),
    ("1 234,50 $", "ca-qc", "", "1234.50", "CAD"),
    # India and its neighbours.
    ("₹1,23,456", "", "", "123456", "INR"),
    ("₹ 12,34,567.89", "", "", "1234567.89", "INR"),
    ("Rs. 499/-", "in", "", "499", "INR"),
    ("Rs.1,499.00", "pk", "", "1499.00", "PKR"),
    ("MRP ₹499 (Inclusive of all taxes)", "", "", "499", "INR"),
    ("₹1.25 lakh", "", "", "125000", "INR"),
    ("₹2.5 Cr", "", "", "25000000", "INR"),
    ("INR 99", "", "", "99", "INR"),
    # East Asia.
    ("¥12万", "jp", "", "120000", "JPY"),
    ("12万3,000円", "", "", "123000", "JPY"),
    ("3만 5천원", "", "", "35000", "KRW"),
    ("￥1,280", "cn", "", "1280", "CNY"),
    ("１，２８０円（税込）", "", "", "1280", "JPY"),
    ("NT$ 1,200", "", "", "1200", "TWD"),
    ("NT$1,200 起", "", "", "1200", "TWD"),
    ("健保價：12.50元", "tw", "", "12.50", "TWD"),
    ("HK$88.00", "", "", "88.00", "HKD"),
    ("₩ 15,000", "", "", "15000", "KRW"),
    # Other signs, codes and words.
    ("RM12.90", "", "", "12.90", "MYR"),
    ("Rp 25.000", "", "", "25000", "IDR"),
    ("12,- €", "", "", "12", "EUR"),
    ("12,— €", "", "", "12", "EUR"),
    ("€ 12,--", "", "", "12", "EUR"),
    ("129:- kr", "se", "", "129", "SEK"),
    ("1 299 kr", "no", "", "1299", "NOK"),
    ("C$12.50", "", "", "12.50", "CAD"),
    ("CA$ 12.50", "", "", "12.50", "CAD"),
    ("$12.50 CAD", "", "", "12.50", "CAD"),
    ("US $12.50", "ca", "", "12.50", "USD"),
    ("U$S 1.250", "uy", "", "1250", "USD"),
    ("AR$ 1.234,50", "", "", "1234.50", "ARS"),
    ("$ 12.345,67", "ar", "", "12345.67", "ARS"),
    ("R$ 1.234,50", "", "", "1234.50", "BRL"),
    ("12 руб. 50 коп.", "", "", "12.50", "RUB"),
    ("Цена: 1\u00a0234 руб. 05 коп.", "", "", "1234.05", "RUB"),
    ("1 234,50 ₽", "", "", "1234.50", "RUB"),
    ("99 р.", "ru", "", "99", "RUB"),
    ("50 коп.", "", "", "0.50", "RUB"),
    ("12,50 zł", "", "", "12.50", "PLN"),
    ("1 299 Kč", "", "", "1299", "CZK"),
    ("99p", "gb", "", "0.99", "GBP"),
    ("99¢", "us", "", "0.99", "USD"),
    ("R 1,234.56", "za", "", "1234.56", "ZAR"),
    ("S/ 12.50", "pe", "", "12.50", "PEN"),
    ("١٢٣٫٥٠ ر.س", "sa", "", "123.50", "SAR"),
    ("١٬٢٣٤٫٥٠ ج.م", "eg", "", "1234.50", "EGP"),
    ("۱۲۳ ﷼", "ir", "", "123", "IRR"),
    ("₺1.234,50", "", "", "1234.50", "TRY"),
    ("1.299 TL", "", "", "1299", "TRY"),
    ("$12k", "us", "", "12000", "USD"),
    ("€1.2M", "", "", "1200000", "EUR"),
    ("15 тыс. руб.", "", "", "15000", "RUB"),
    ("12.50", "", "", "12.50", ""),
    ("12.50 eur", "", "", "12.50", "EUR"),
    # Words around it.
    ("Price: $12.50", "us", "", "12.50", "USD"),
    ("Prijs: 12,50", "nl", "", "12.50", "EUR"),
    ("$15.00$15.00", "us", "", "15.00", "USD"),
    ("12,99 € inkl. 19 % MwSt., zzgl. Versandkosten", "", "", "12.99", "EUR"),
    ("was £20.00 now £15.00", "", "", "15.00", "GBP"),
    ("M.R.P.: ₹599 ₹499 (16% off)", "", "", "499", "INR"),
    ("You save $5.00. Price $20.00", "us", "", "20.00", "USD"),
    ("2,99 € (29,90 €/kg)", "", "", "2.99", "EUR"),
    ("Pack of 10 ₹120", "", "", "120", "INR"),
    ("6 x 330 ml € 4,50", "", "", "4.50", "EUR"),
    ("Buy now\n$\n1,299\n", "us", "", "1299", "USD"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "country", "hint", "amount", "currency"), RIGHT)
def test_a_notation_is_read(text: str, country: str, hint: str, amount: str, currency: str):
    price = parse_price(text, country=country or None, currency=hint or None)
    assert (price.amount, price.currency) == (Decimal(amount), currency)
    assert price.raw == text.strip()


AROUND = [
    ("from €12.50", {"is_from": True}),
    ("ab 12,50 €", {"is_from": True}),
    ("от 99 ₽", {"is_from": True}),
    ("NT$1,200 起", {"is_from": True}),
    ("NT$1,200~", {"is_from": True}),
    ("€ 12.50", {"is_from": False, "per": "", "quantity": 1, "old": None}),
    ("€ 2,99 / kg", {"per": "kg"}),
    ("2,99 € / 100 g", {"per": "100 g"}),
    ("£3.50 each", {"per": "piece"}),
    ("₹40 per strip", {"per": "strip"}),
    ("3 for €10", {"quantity": 3, "amount": Decimal(10)}),
    ("from 3 for 2 €", {"quantity": 3, "is_from": True, "amount": Decimal(2)}),
    ("€10 for 3 pieces", {"quantity": 3, "amount": Decimal(10)}),
    ("3 Stück für 5 €", {"quantity": 3, "amount": Decimal(5)}),
    ("100 ml = 2,50 €", {"per": "100 ml", "amount": Decimal("2.50")}),
    ("€12.50+", {"is_from": True}),
    ("€12.50 + free shipping", {"is_from": False}),
    ("€5.00, 3 for 2", {"quantity": 1, "amount": Decimal("5.00")}),
    ("statt 20,00 € jetzt 15,00 €", {"amount": Decimal("15.00"), "old": Decimal("20.00")}),
    ("RRP £30 £25", {"amount": Decimal(25), "old": Decimal(30)}),
    ("RRP £30", {"amount": Decimal(30), "old": None}),
]


@pytest.mark.parametrize(("text", "said"), AROUND)
def test_what_is_said_around_a_price_is_kept(text: str, said: dict[str, object]):
    price = parse_price(text)
    assert {name: getattr(price, name) for name in said} == said
