"""Site files that take their targets from a list, and keys that know names and addresses."""

import pytest

from swather.builtin.listings.params import Params
from swather.errors import LoadError
from swather.scraping.site import load, scraper_of
from tests.scraping.site.test_reading import page

FILE = """
name = "towns"
{}
target = "https://towns.example/{{state}}/{{city}}/{{category}}"
items = "li"
key = [["phone"], ["name", "address"]]
[fields]
name = {{ css = "b", as = "company" }}
phone = {{ css = "i", as = "phone", country = "us" }}
address = {{ css = "u", as = "address" }}
"""


def test_a_list_brings_its_targets_and_its_params():
    made = scraper_of(load(FILE.format('targets = "us_cities"')))
    assert made.options.params is Params
    first = next(iter(made.options.targets(Params(states=("WY",)))))
    assert first.value == {"state": "WY", "city": "Cheyenne", "category": "accountants"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'targets = "moons"',
            "site:3: targets: there is no list 'moons'; expected one of us_cities",
        ),
        (
            'targets = "us_cities"\nstart = ["https://towns.example/"]',
            "site:3: targets: it contradicts 'start'; expected only one of the two",
        ),
    ],
)
def test_a_wrong_list_is_told_with_its_line(line, said):
    with pytest.raises(LoadError) as raised:
        load(FILE.format(line))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("<b>Joe's, Inc.</b><u>1 Main St.</u>", "<b>JOES</b><u>1 main street</u>", True),
        ("<b>Joe's</b><i>212-555-0147</i>", "<b>Ann's</b><i>(212) 555 0147</i>", True),
        # Without its area code, a number is that of many.
        ("<b>Joe</b><i>5550147</i><u>1 Oak</u>", "<b>Ann</b><i>5550147</i><u>2 Oak</u>", False),
    ],
)
def test_a_business_is_the_same_however_it_is_written(one, other, are_same):
    site = load(FILE.format(""))
    rows = site.items(page(f"<ul><li>{one}</li><li>{other}</li></ul>")).accepted
    assert len(rows) == 2
    assert (rows[0].key == rows[1].key) is are_same
