"""A mistake in each place of a site file: its line, its value, what is allowed."""

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swather.errors import InputError, LoadError
from swather.scraping.site import load
from swather.scraping.site.lines import lines_of

GOOD = """\
#:schema ./site.schema.json
name = "shop"
start = ["https://shop.example/"]
target = "https://shop.example/{city}"
items = "article"
required = ["title"]
key = ["title"]

[fields]
title = { css = "h3 a", attribute = "title" }
price = [
    { json_ld = "Product.offers.price", as = "price" },
    { css = ".price", regex = '[0-9.]+', as = "price" },
]

[[reject]]
field = "price"
at_least = 1000
reason = "too dear"

[pagination]
next = "li.next a"

[options]
rate = "2/s"
"""


def problem(text: str) -> str:
    with pytest.raises(LoadError) as caught:
        load(text)
    return str(caught.value)


def test_the_example_is_right():
    assert load(GOOD).name == "shop"


# What is replaced, by what, and the message: its line and its words.
MISTAKES = [
    ('items = "article"', 'itmes = "article"', "5: itmes: there is no such key", "'items'"),
    ('items = "article"', "items = 3", "5: items: expected text", "a table or a list, got 3"),
    ('items = "article"', 'items = "p.."', "5: items: 'p..' is not a CSS selector", ""),
    ('items = "article"', 'items = { json_ld = "a.b" }', "5: items.json_ld: expected a type", ""),
    ('items = "article"', 'items = { css = "a", xpath = "b" }', "contradicts 'css'", "only one"),
    ('name = "shop"', 'name = ""', "2: name: expected text, got none", ""),
    ('name = "shop"', 'name = "my shop"', "2: name: got 'my shop'", "scraper's name"),
    ('["https://shop.example/"]', '["shop.example"]', "3: start[1]: expected a URL", "'shop.exam"),
    ('["https://shop.example/"]', "[]", "3: start: expected 1 to 1000 elements, got 0", ""),
    ("{city}", "city", "4: target: expected a field such as {city}", "`start`"),
    ("{city}", "{ci ty}", "4: target: 'https://shop.example/{ci ty}'", "'ci ty'"),
    ("{city}", "{city", "4: target", "a '}' for each '{'"),
    ("shop.example/{city}", "{city}.example", "must not choose the host", ""),
    ('required = ["title"]', 'required = ["titel"]', "6: required[1]: there is no field 'titel'",
     "did you mean 'title'?"),
    ('key = ["title"]', 'key = [["title"], ["phone"]]', "7: key[2][1]: there is no field", ""),
    ('css = "h3 a", at', 'css = "h3 [", at', "10: fields.title.css: 'h3 [' is not a CSS", ""),
    ('css = "h3 a", ', "", "10: fields.title: expected one of the keys css, xpath", ""),
    ("title = {", '"my title" = {', "10: fields.'my title': a field's name has", ""),
    ('attribute = "title"', 'atribute = "title"', "10: fields.title.atribute", "'attribute'"),
    ('json_ld = "Product.offers.price"', 'json_ld = "a..b"', "12: fields.price[1].json_ld", "dot"),
    ('json_ld = "Product.offers.price"', 'microdata = "a\'b"', "12: fields.price[1].microdata", ""),
    ('json_ld = "Product.offers.price"', 'xpath = "//p["', "12: fields.price[1].xpath", "XPath"),
    ('price", as = "price" },\n    {', 'price", as = "pirce" },\n    {',
     "12: fields.price[1].as: got 'pirce'", "did you mean 'price'?"),
    ("'[0-9.]+'", "'[0-9'", "13: fields.price[2].regex: '[0-9' is not a regular expression", ""),
    ("'[0-9.]+'", "'x', format = '%d'", "13: fields.price[2].format: it needs as = 'date'", ""),
    ("'[0-9.]+'", "'x', all = true, join = ','", "13: fields.price[2].join: it contradicts", ""),
    ("'[0-9.]+'", "'x', currency = 'euro'", "13: fields.price[2].currency: got 'euro'", "'EUR'"),
    ('field = "price"', 'field = "prise"', "17: reject[1].field: there is no field", "'price'"),
    ("at_least = 1000", 'at_least = "x"', "18: reject[1].at_least: expected a number, got 'x'", ""),
    ("at_least = 1000", "", "16: reject[1]: expected one of the keys equals", ""),
    ("at_least = 1000", "matches = '('", "18: reject[1].matches: '(' is not a regular", ""),
    ('reason = "too dear"', "", "16: reject[1]: the key 'reason' is missing", ""),
    ('next = "li.next a"', 'nxt = "a"', "22: pagination.nxt: there is no such key", "'next'"),
    ('next = "li.next a"', 'cursor = "a"', "22: pagination.cursor: it needs cursor_parameter", ""),
    ('next = "li.next a"', 'load_more = "a"', "22: pagination.load_more: it needs a browser", ""),
    ('next = "li.next a"', 'next = "a"\nfirst = 2', "23: pagination.first: it needs 'param", ""),
    ('next = "li.next a"', 'next = "a"\nmax_pages = 0', "23: pagination.max_pages", "at least 1"),
    ('rate = "2/s"', 'rate = "fast"', "25: options.rate", "fast"),
    ('rate = "2/s"', "timeout = -1", "25: options.timeout: expected more than 0, got -1", ""),
    ('rate = "2/s"', 'tor = true\nproxies = true', "24: options: tor and proxies", "only one"),
    ('rate = "2/s"', 'strategy = "randm"', "25: options.strategy: got 'randm'", "weighted_random"),
    ('rate = "2/s"', "retries = 2026-01-01", "25: options.retries: expected a whole", "date"),
    ("at_least = 1000", "at_least = nan", "18: reject[1].at_least: expected a number, got nan", ""),
    ("'[0-9.]+'", "'x', currency = 'EUX'", "13: fields.price[2].currency: there is no currency",
     "expected an ISO code such as 'EUR'; did you mean"),
    ("'[0-9.]+'", "'x', country = 'zz'", "13: fields.price[2].country: there is no country 'zz'",
     "expected a code of two letters such as 'nl'"),
    ("'[0-9.]+'", "'x', country = 'uk'", "13: fields.price[2].country", "is 'gb' meant?"),
    ('attribute = "title"', 'as = "phone", country = "aq"',
     "10: fields.title.country: there is no calling code of 'aq'", "expected one of ae, ar"),
    ('attribute = "title"', 'as = "date", format = "%Q"',
     "10: fields.title.format: '%Q' is no format", "'%d.%m.%Y'"),
    ('attribute = "title"', 'as = "date", format = "%d.%m."',
     "10: fields.title.format: '%d.%m.' has no year", ""),
    ('field = "price"', 'field = "title"',
     "18: reject[1].at_least: got 1000, and the field 'title' is 'text'", "expected as = 'number'"),
    ('field = "price"\nat_least = 1000', 'field = "title"\nequals = 10',
     "18: reject[1].equals: got 10, and the field 'title' is 'text'", "'10' in quotes"),
    ('field = "price"\nat_least = 1000', 'field = "title"\none_of = ["a", true]',
     "18: reject[1].one_of: got true or false, which only json_ld has", "text in quotes"),
    ('rate = "2/s"', 'priority = "high"', "25: options.priority: got 'high'; expected a number",
     "'{priority}'"),
    ('rate = "2/s"', 'priority = "11"', "25: options.priority: got '11'", "1 to 10"),
    ('next = "li.next a"', """load_more = '.more:lexbor-contains("More")'""",
     "22: pagination.load_more: ", "browsers do not know; expected a plain CSS selector"),
    ("[fields]", "[fieds]", "9: fieds: there is no such key", "'fields'"),
    ('rate = "2/s"', 'rate = "2/s', "25: not TOML", ""),
    ('rate = "2/s"', 'rate = "2/s"\nrate = "3/s"', "26: not TOML", "overwrite"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said", "also"), MISTAKES)
def test_a_mistake_is_told_with_its_line_and_what_is_allowed(old, new, said, also):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    message = problem(text)
    assert said in message
    assert also in message
    assert re.match(r"site:\d+: ", message)


def test_all_mistakes_are_told_in_the_order_of_their_lines():
    text = GOOD.replace('"article"', "1").replace("1000", "true").replace('"shop"', "2")
    lines = [int(line.split(":")[1]) for line in problem(text).splitlines()]
    assert lines == [2, 5, 18]


def test_follow_and_items_contradict_each_other():
    text = GOOD.replace('items = "article"', 'items = "article"\nfollow = "a"')
    assert "6: follow: it contradicts 'items'" in problem(text)


def test_a_mistake_names_the_file(tmp_path):
    file = tmp_path / "shop.toml"
    file.write_text("x = 1\n")
    with pytest.raises(LoadError, match=r"shop\.toml:1: x: there is no such key"):
        load(file)


def test_a_file_that_is_no_text_or_too_long_is_refused(tmp_path):
    file = tmp_path / "shop.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(LoadError, match="UTF-8"):
        load(file)
    file.write_bytes(b"#" * (1 << 20) + b"#")
    with pytest.raises(LoadError, match="more than 1 MB"):
        load(file)
    with pytest.raises(LoadError, match="cannot be read"):
        load(tmp_path)


def test_a_value_cannot_steer_the_terminal():
    assert "\x1b" not in problem('[fields]\na = "b"\n"\\u001b[31m" = 1\n')


def test_xpath_says_which_package_it_needs(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lxml", None)
    assert "swather[xpath]" in problem('[fields]\na = { xpath = "//p" }\n')


def test_lines_are_found_in_any_notation():
    text = (
        'a.b = 1\r\n"c d" = """x\n\'\n"""\n[e]\nf = [ # no ]\n  "]",\n  { g = 1, h = [\n 2] },\n]\n'
        "[[i]]\nj = 1\n[[i]]\n[i.k]\nl = '\\'\n[[i.m]]\nn = 1\n"
    )
    found = lines_of(text)
    assert found[("a", "b")] == 1
    assert found[("c d",)] == 2
    assert found[("e", "f", 1, "g")] == 8
    assert found[("e", "f", 1, "h", 0)] == 9
    assert found[("i", 0, "j")] == 12
    assert found[("i", 1, "k", "l")] == 15
    assert found[("i", 1, "m", 0, "n")] == 17


WORDS = st.sampled_from(
    [
        "name", "start", "target", "items", "fields", "required", "key", "pagination", "reject",
        "options", "css", "xpath", "json_ld", "as", "regex", "next", "title", "(", "a{2", "{x}",
        "//p", "https://x.example/{a}", "field", "reason", "equals", "matches", "all", "join",
    ]
)  # fmt: skip
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    WORDS | st.text(max_size=8) | st.integers(-5, 5) | st.booleans() | FLOATS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def toml(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = (f"\\U{ord(each):08x}" for each in value if not "\ud800" <= each <= "\udfff")
        return f'"{"".join(escaped)}"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(name)} = {toml(each)}" for name, each in value.items()) + "}"
    return repr(value)


@settings(deadline=None)
@given(st.dictionaries(WORDS, VALUES, max_size=6))
def test_any_toml_is_loaded_or_refused_in_words(table):
    text = "\n" + "\n".join(f"{toml(name)} = {toml(value)}" for name, value in table.items())
    with suppress(InputError):
        load(text)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_loaded_or_refused_in_words(text):
    with suppress(InputError):
        load(f"\n{text}")
