from decimal import Decimal

import pytest

from swather.scraping.prices import (
    Availability,
    NotAPack,
    parse_availability,
    parse_pack,
    unit_price,
)

PACKS = [
    ("30 tablets x 500 mg", 30, "500", "mg", "piece"),
    ("6 x 330 ml", 6, "330", "ml", ""),
    ("6x330ml", 6, "330", "ml", ""),
    ("2 x 6 x 330 ml", 12, "330", "ml", ""),
    ("1kg", 1, "1", "kg", ""),
    ("1,5 l", 1, "1.5", "l", ""),
    ("strip of 10", 10, None, "", "piece"),
    ("strip of 10 tablets", 10, None, "", "piece"),
    ("10 strips of 10 tablets", 100, None, "", "piece"),
    ("pack of 6", 6, None, "", "piece"),
    ("10's", 10, None, "", "piece"),
    ("Paracetamol 500 mg, 30 tabletten", 30, "500", "mg", "piece"),
    ("Vitamin B12 30 tablets", 30, None, "", "piece"),
    ("60 stuks", 60, None, "", "piece"),
    ("100錠/盒", 100, None, "", "piece"),
    ("№20", 20, None, "", "piece"),
    ("Таблетки 500 мг, 20 шт.", 20, "500", "мг", "piece"),
    ("20 comprimidos", 20, None, "", "piece"),
    ("500 mg/5 ml syrup, 100 ml bottle", 1, "100", "ml", ""),
    ("Lotion 5 % 250 g", 1, "250", "g", ""),
    ("таблетки 500мг №20", 20, "500", "мг", "piece"),
    ("таб. №20 500 мг", 20, "500", "мг", "piece"),
    ("500 мг N20", 20, "500", "мг", "piece"),
    ("capsules 250 mg N°30", 30, "250", "mg", "piece"),
    ("500 mg x 30 comp", 30, "500", "mg", "piece"),
    ("30 compr. 500 mg", 30, "500", "mg", "piece"),
    ("10 x 50 mcg", 10, "50", "mcg", "piece"),
    ("10 x 500 g", 10, "500", "g", ""),
    ("N95 mask 20 pcs", 20, None, "", "piece"),
]
NO_PACKS = [
    ("hello", "no number"),
    ("5", "not said"),
    ("30 tablets (30 tablets)", "belong together"),
    ("3 strips, 10 tablets", "belong together"),
    ("500 mg 100 ml", "several sizes"),
    ("1.000 ml", "two ways"),
    ("0 tablets", "does not count"),
    ("0 ml", "a size of 0"),
    ("9999999 tablets", "too many"),
    ("16 500 mg tablets", "two numbers"),
    ("1" * 1_000_000, "characters"),
]


@pytest.mark.parametrize(("text", "count", "size", "unit", "form"), PACKS)
def test_a_pack_is_read(text: str, count: int, size: str | None, unit: str, form: str):
    pack = parse_pack(text)
    assert (pack.count, pack.unit, pack.form) == (count, unit, form)
    assert pack.size == (None if size is None else Decimal(size))


@pytest.mark.parametrize(("text", "why"), NO_PACKS)
def test_what_names_no_pack_is_refused(text: str, why: str):
    with pytest.raises(NotAPack, match=why):
        parse_pack(text)


def test_the_country_decides_how_a_size_is_read():
    assert parse_pack("1.000 ml", country="nl").size == 1000
    assert parse_pack("1.000 ml", country="my").size == 1


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("30 tablets x 500 mg", "0.5000", "piece"),
        ("6 x 250 ml", "10.0000", "l"),
        ("500 g", "30.0000", "kg"),
        ("strip of 10", "1.5000", "piece"),
        ("70 cl", "21.4286", "l"),
    ],
)
def test_a_unit_price_is_for_a_piece_a_kilogram_or_a_litre(text: str, amount: str, unit: str):
    price = unit_price(Decimal(15), parse_pack(text))
    assert (price.amount, price.unit) == (Decimal(amount), unit)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("https://schema.org/InStock", Availability.IN_STOCK),
        ("http://schema.org/OutOfStock", Availability.OUT_OF_STOCK),
        ("InStock", Availability.IN_STOCK),
        ("schema:PreOrder", Availability.PREORDER),
        ("https://schema.org/LimitedAvailability/", Availability.LIMITED),
        ("In stock (12 available)", Availability.IN_STOCK),
        ("Currently not in stock", Availability.OUT_OF_STOCK),
        ("Only 3 left in stock", Availability.LIMITED),
        ("Niet op voorraad", Availability.OUT_OF_STOCK),
        ("Op voorraad", Availability.IN_STOCK),
        ("Нет в наличии", Availability.OUT_OF_STOCK),
        ("В наличии", Availability.IN_STOCK),
        ("Sin stock", Availability.OUT_OF_STOCK),
        ("Hay stock", Availability.IN_STOCK),
        ("缺貨", Availability.OUT_OF_STOCK),
        ("現貨供應", Availability.IN_STOCK),
        ("Stok habis", Availability.OUT_OF_STOCK),
        ("Rupture de stock", Availability.OUT_OF_STOCK),
        ("Discontinued", Availability.DISCONTINUED),
        ("blue", Availability.UNKNOWN),
        ("10 in stock", Availability.IN_STOCK),
        ("20 in stock", Availability.IN_STOCK),
        ("1.0 in stock", Availability.IN_STOCK),
        ("0 in stock", Availability.OUT_OF_STOCK),
        ("0 available", Availability.OUT_OF_STOCK),
        ("Available: 0", Availability.OUT_OF_STOCK),
        ("10 available", Availability.IN_STOCK),
        ("no hay stock", Availability.OUT_OF_STOCK),
        ("Pas en stock", Availability.OUT_OF_STOCK),
        ("not currently available", Availability.OUT_OF_STOCK),
        ("Not yet available", Availability.OUT_OF_STOCK),
        ("Notify me when available", Availability.OUT_OF_STOCK),
        ("In Stock: No", Availability.OUT_OF_STOCK),
        ("In stock. No returns", Availability.IN_STOCK),
        ("No minimum order, in stock", Availability.IN_STOCK),
        ("Out-of-stock", Availability.OUT_OF_STOCK),
        ("out_of_stock", Availability.OUT_OF_STOCK),
        ("in_stock", Availability.IN_STOCK),
        ("pre-order now", Availability.PREORDER),
        ("available soon", Availability.UNKNOWN),
        ("Available in 2 weeks", Availability.BACKORDER),
        ("Niet beschikbaar", Availability.OUT_OF_STOCK),
        ("Beschikbaar", Availability.IN_STOCK),
        ("Plus disponible", Availability.OUT_OF_STOCK),
        ("沒有貨", Availability.OUT_OF_STOCK),
        ("無現貨", Availability.OUT_OF_STOCK),
        ("В наличии: нет", Availability.OUT_OF_STOCK),
        ("Não disponível", Availability.OUT_OF_STOCK),
        ("Tidak tersedia", Availability.OUT_OF_STOCK),
        ("no " * 200, Availability.UNKNOWN),
        ("x" * 1_000_000, Availability.UNKNOWN),
    ],
)
def test_availability_is_told_by_schema_or_by_words(text: str, meant: Availability):
    assert parse_availability(text) is meant
