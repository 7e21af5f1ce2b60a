"""Site files whose pages are PDF files."""

import pytest

from swather.errors import LoadError, Permanent
from swather.net.page import Page
from swather.scraping import site
from swather.testing.countries.pdf_file import Text, pdf

FILE = """
required = ["price"]

[pdf]
columns = ["Code", "Prix  unitaire"]

[fields]
code = { column = "Code" }
price = { column = "Prix  unitaire", as = "price", country = "ca-qc" }
"""
HEAD = [Text(40, 700, "Code"), Text(200, 700, "Prix unitaire")]


def page_of(*rows: tuple[str, str], head: list[Text] = HEAD) -> Page:
    texts = list(head)
    for number, (code, price) in enumerate(rows):
        y = 680 - 20 * number
        texts += [Text(40, y, code), Text(200, y, price)]
    return Page(url="https://prices.example/list.pdf", content=pdf([texts]))


def test_fields_are_read_from_columns():
    rows = site.load(FILE).items(page_of(("A1", "1 234,50 $"), ("A2", "sur demande")))
    assert [row.item["code"] for row in rows.accepted] == ["A1"]
    assert rows.accepted[0].item["price"]["amount"] == "1234.50"
    assert rows.rejections == {"missing_price": 1}


def test_a_list_without_the_columns_has_another_layout():
    with pytest.raises(Permanent, match="has all of the columns") as raised:
        site.load(FILE).items(page_of(("A1", "1,00 $"), head=HEAD[:1]))
    assert raised.value.reason == "layout_changed"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('{ column = "Code" }', '{ column = "Kode" }', "site:8: .*did you mean 'Code'"),
        ('columns = ["Code", "Prix  unitaire"]', "columns = []", "site:5: "),
        ("[pdf]\n", "[other]\n", "site:4: "),
        (
            'columns = ["Code", "Prix  unitaire"]',
            'columns = ["Code", "Prix  unitaire", " code"]',
            r"site:5: pdf\.columns\[3\]: ' code' is the same name as 'Code'; expected different",
        ),
        (
            'code = { column = "Code" }',
            'code = { column = "Code", attribute = "x" }',
            "not for column",
        ),
        ('required = ["price"]', 'items = "tr"', "contradicts 'items'"),
    ],
)
def test_mistakes_are_told(old: str, new: str, said: str):
    with pytest.raises(LoadError, match=said):
        site.load(FILE.replace(old, new))
