"""The cities that ship with Swather."""

from collections import Counter
from importlib.resources import files

from swather.builtin.listings.categories import CATEGORIES
from swather.builtin.listings.us_cities import City, cities
from swather.builtin.listings.us_states import STATES
from swather.scraping.business.folding import folded


def test_all_states_have_cities_and_no_city_is_there_twice():
    found = list(cities(STATES))
    assert len(STATES) == 51
    assert {city.state for city in found} == set(STATES)
    assert len({(city.state, folded(city.name)) for city in found}) == len(found) == 10_324


def test_cities_and_categories_make_as_many_targets_as_the_docs_say():
    assert len(set(CATEGORIES)) * sum(1 for _ in cities(STATES)) == 309_720


def test_only_the_states_that_are_asked_for_are_read():
    assert {city.state for city in cities({"NV", "DC"})} == {"NV", "DC"}


def test_the_largest_cities_come_first_with_the_highest_priority():
    found = list(cities(STATES))
    priorities = [city.priority for city in found]
    assert priorities == sorted(priorities, reverse=True)
    assert set(Counter(priorities)) == set(range(1, 11))
    assert City("NY", "New York City", 8_804_190).priority == 10
    assert City("TX", "Early", 2_833).priority == 1


def test_the_licence_of_the_data_lies_beside_it():
    notice = (files("swather.builtin.listings") / "NOTICE.md").read_text()
    assert "GeoNames" in notice
    assert "Creative Commons Attribution 4.0" in notice
