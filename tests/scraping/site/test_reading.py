"""Fields of pages: which way finds them, and what their texts are read as."""

import pytest

from swather.errors import Permanent
from swather.net.page import Page
from swather.scraping.site import load

URL = "https://shop.example/list"


def page(html: str, url: str = URL) -> Page:
    return Page(url=url, content=html.encode())


def read(fields: str, html: str, more: str = ""):
    rows = load(f"{more}\n[fields]\n{fields}\n").items(page(html))
    return rows.all[0].values


def test_the_first_way_that_gives_a_value_counts():
    fields = 'name = [".gone", { css = "h1", attribute = "title" }, "h1", "h2"]'
    assert read(fields, "<h1>First</h1><h2>Second</h2>") == {"name": "First"}


def test_a_text_has_single_spaces_and_an_attribute_is_taken_by_name():
    html = "<p class=a>  one\n <b>two</b> </p><a href='/x?b=1#top'>link</a>"
    fields = 'text = "p.a"\nlink = { css = "a", attribute = "href", as = "url" }'
    assert read(fields, html) == {"text": "one two", "link": "https://shop.example/x?b=1"}


@pytest.mark.parametrize(
    ("way", "text", "value"),
    [
        ('as = "number"', "4.5 of 5 stars", 4.5),
        ('as = "number"', "1,234 reviews", 1234),
        ('as = "number"', "12,34,567.50", 1234567.5),
        ('as = "number", decimal = ","', "1.234,5 m²", 1234.5),
        ('as = "number"', "1.234,5", None),
        ('as = "number"', "4,7", None),
        ('as = "number"', "12,5", None),
        ('as = "number", decimal = ","', "4,7 / 5", 4.7),
        ('as = "number"', "4.7/5", 4.7),
        ('as = "number"', "3½", None),
        ('as = "number"', "5²", None),
        ('as = "number"', "\u0663\u066b\u0665", 3.5),
        ('as = "number"', "1e5", None),
        ('as = "number"', "10k", None),
        ('as = "number"', "1.2M views", None),
        ('as = "number"', "4.5 million", None),
        ('as = "number"', "12万", None),
        ('as = "number"', "12.05.2024", None),
        ('as = "number"', "2024-05-12", None),
        ('as = "number"', "B12", None),
        ('as = "number"', "12kg", 12),
        ('as = "number"', "30m²", 30),
        ('as = "number"', "(5)", 5),
        ('as = "number"', "5. place", 5),
        ('as = "number"', "\u22123", -3),
        ('as = "number"', "٣٤", 34),
        ('as = "number"', "none", None),
        ('as = "number"', "1,23", None),
        ('as = "date"', "2026-11-18", "2026-11-18"),
        ('as = "date"', "2026-11-18T10:30:00Z", "2026-11-18T10:30:00+00:00"),
        ('as = "date", format = "%d.%m.%Y"', "3.11.2026", "2026-11-03"),
        ('as = "date"', "Wed, 18 Nov 2026 10:30:00 GMT", "2026-11-18T10:30:00+00:00"),
        ('as = "date"', "yesterday", None),
        ('as = "phone", country = "us"', "(212) 555-0142 ext. 7", "+12125550142"),
        ('as = "phone", country = "nl"', "020 555 01 42", "+31205550142"),
        ('as = "phone"', "+49 (0)30 555-0142", "+49305550142"),
        ('as = "phone"', "0049 30 5550142", "+49305550142"),
        ('as = "phone"', "call us", None),
        ('as = "phone", country = "us"', "1-800-FLOWERS", "+18003569377"),
        ('as = "phone"', "+39 (0)6 1234 5678", "+390612345678"),
        ('as = "url"', "../b", "https://shop.example/b"),
        ('as = "url"', "mailto:a@b.c", None),
        ("regex = '\\((\\d+)\\)', as = \"number\"", "Reviews (17)", 17),
        ("regex = 'x+'", "axxb", "xx"),
        ("regex = 'x+'", "ab", None),
        ('default = "none"', "", "none"),
    ],
)
def test_a_text_is_read_as_what_it_is(way, text, value):
    found = read(f'v = {{ css = "p", {way} }}\nalways = "h1"', f"<h1>here</h1><p>{text}</p>")
    assert found["v"] == value


def test_a_price_keeps_its_currency_and_its_text():
    way = '{ css = "p", as = "price", country = "nl" }'
    rows = load(f"[fields]\nprice = {way}\n").items(page("<p>€ 1.234,50</p>"))
    assert rows.accepted[0].item == {
        "price": {"amount": "1234.50", "currency": "EUR", "raw": "€ 1.234,50"}
    }


def test_all_values_become_a_list_or_one_text():
    html = "<li>a</li><li>b</li><li></li>"
    fields = 'many = { css = "li", all = true }\none = { css = "li", join = ", " }'
    assert read(fields, html) == {"many": ["a", "b"], "one": "a, b"}


LD = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
 {"@type": "WebSite", "name": "Shop"},
 {"@type": ["Product", "Thing"], "name": "Drill", "brand": {"@type": "Brand", "name": "Acme"},
  "offers": [{"price": 12.5}, {"price": 13}]}]}</script>"""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("Product.name", "Drill"),
        ("name", "Shop"),
        ("offers.price", 12.5),
        ("Product.offers.1.price", 13),
        ("Product.brand", "Acme"),
        ("Brand.name", "Acme"),
        ("Product.gone", None),
        ("Event.name", None),
    ],
)
def test_json_ld_is_found_by_its_type_and_path(path, value):
    assert read(f'v = {{ json_ld = "{path}" }}\nother = "p"', LD + "<p>x</p>")["v"] == value


MICRODATA = """<div itemscope itemtype="https://schema.org/Product">
<div itemprop="brand" itemscope itemtype="https://schema.org/Brand">
<b itemprop="name">Acme</b></div><h1 itemprop="name">Drill</h1>
<div itemprop="offers" itemscope><meta itemprop="price" content="12.5"></div></div>"""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "Drill"),
        ("Product.name", "Drill"),
        ("Brand.name", "Acme"),
        ("brand.name", "Acme"),
        ("offers.price", "12.5"),
        ("price", None),
    ],
)
def test_microdata_belongs_to_the_item_around_it(path, value):
    assert read(f'v = {{ microdata = "{path}" }}\nother = "h1"', MICRODATA)["v"] == value


def test_xpath_finds_elements_attributes_and_numbers():
    html = "<ul><li id=a>one</li><li id=b>two</li></ul>"
    fields = """
    text = { xpath = "//li[2]" }
    id = { xpath = "//li[2]/@id" }
    count = { xpath = "count(//li)", as = "number" }
    by = { xpath = "//li", attribute = "id" }"""
    assert read(fields, html) == {"text": "two", "id": "b", "count": 2, "by": "a"}


def test_rows_are_read_each_by_itself():
    html = "<div class=r><b>1</b></div><div class=r><b>2</b><i>x</i></div><i>outside</i>"
    site = load('items = ".r"\n[fields]\nb = "b"\ni = "i"\nx = { xpath = ".//i" }\n')
    assert [row.values for row in site.items(page(html)).all] == [
        {"b": "1", "i": None, "x": None},
        {"b": "2", "i": "x", "x": "x"},
    ]


def test_rows_may_be_objects_of_json_ld_and_else_elements():
    site = load("""
items = [{ json_ld = "Restaurant" }, { xpath = "//article" }]
[fields]
name = [{ json_ld = "name" }, "h2"]
""")
    ld = '<script type="application/ld+json">[{"@type":"Restaurant","name":"A"}]</script>'
    assert [row.values["name"] for row in site.items(page(ld)).all] == ["A"]
    html = "<article><h2>B</h2></article><article><h2>C</h2></article>"
    assert [row.values["name"] for row in site.items(page(html)).all] == ["B", "C"]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('[fields]\na = ".gone"\nb = { css = ".gone", default = 1 }\n', "<p>x</p>"),
        ('layout = ["main"]\n[fields]\na = "p"\n', "<p>x</p>"),
        ('items = "p"\n[fields]\na = ".gone"\n', "<p>x</p><p>y</p>"),
    ],
)
def test_a_page_on_which_nothing_matches_has_another_layout(text, html):
    with pytest.raises(Permanent) as caught:
        load(text).items(page(html))
    assert caught.value.reason == "layout_changed"


@pytest.mark.parametrize("items", ['"li.r"', "{ xpath = \"//li[@class='r']\" }"])
def test_xpath_begins_at_the_row_whichever_way_rows_are_found(items: str):
    html = "<ul id=top>" + "".join(
        f"<li class=r id=r{n}><b>{n}</b><p><b>x{n}</b></p></li> tail" for n in range(2)
    )
    text = f"""items = {items}
    [fields]
    any = {{ xpath = "//b", join = "," }}
    below = {{ xpath = ".//b" }}
    child = {{ xpath = "b" }}
    id = {{ xpath = "@id" }}
    outside = {{ xpath = "../@id" }}
    whole = {{ xpath = "string(.)" }}
    """
    assert [row.values for row in load(text).items(page(html)).all] == [
        {"any": f"{n},x{n}", "below": str(n), "child": str(n), "id": f"r{n}", "outside": None,
         "whole": f"{n}x{n}"}
        for n in range(2)
    ]  # fmt: skip


@pytest.mark.parametrize("items", ['"tr"', '{ xpath = "//tr" }'])
def test_xpath_reads_rows_of_a_table(items: str):
    html = "<table><tr><td>a</td><td>b</td></tr></table>"
    text = f"items = {items}\n[fields]\nsecond = {{ xpath = 'td[2]' }}\n"
    assert [row.values for row in load(text).items(page(html)).all] == [{"second": "b"}]
