"""Which searches are made of states and categories, and that commands take them."""

import json
from pathlib import Path

import pytest

from swather.builtin.listings.categories import CATEGORIES
from swather.builtin.listings.params import Params
from swather.builtin.listings.scraper import listings
from swather.builtin.listings.targets import cities_and_categories
from swather.errors import InputError
from swather.scraping.targets import target_of
from tests.cli.conftest import *  # noqa: F403 - its fixtures
from tests.cli.conftest import Swather, done


def made(**params):
    return list(cities_and_categories(Params(**params)))


def test_each_city_is_searched_for_each_category():
    found = made(states=("nv",), categories=("plumbers, gyms", "roofing"))
    assert {target.value["state"] for target in found} == {"NV"}
    assert [target.value["category"] for target in found[:3]] == ["plumbers", "gyms", "roofing"]
    assert found[0].value["city"] == "Las Vegas"
    assert (found[0].priority, found[-1].priority) == (9, 1)
    assert len({tuple(target.value.values()) for target in found}) == len(found)


def test_categories_that_are_not_named_are_the_built_in_ones():
    assert len(made(states=("DC",))) == 55 * len(CATEGORIES)


def test_small_cities_can_be_left_out():
    found = made(states=("all",), categories=("gyms",), min_population=1_000_000)
    assert len(found) == 15
    assert {target.priority for target in found} == {10}


def test_without_states_nothing_is_searched():
    with pytest.raises(InputError, match="name states with --states CA,TX or --states all, or ta"):
        made()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"states": ("XX",)}, "expected 'all' or codes such as CA,TX, got 'XX'"),
        ({"min_population": -1}, "'min_population': expected 0 or more, got -1"),
        ({"categories": ("x" * 101,)}, "'categories': expected at most 1,000 of up to 100"),
    ],
)
def test_wrong_params_say_what_is_allowed(given, said):
    with pytest.raises(ValueError, match=said):
        Params(**given)


def test_a_target_has_the_lane_of_the_site_and_the_partition_of_its_state():
    value = {"state": "NM", "city": "Española", "category": "auto repair"}
    target = target_of(listings, value)
    assert (target.lane, target.partition) == ("www.yellowpages.com", "NM")
    assert target.key == (
        "https://www.yellowpages.com/search?search_terms=auto%20repair"
        "&geo_location_terms=Espa%C3%B1ola%2C%20NM"
    )


def test_enqueueing_the_same_again_adds_none(swather: Swather, database: str):
    given = ("listings", "--states", "NV", "--categories", "gyms", "--db", database, "--json")
    first = done(swather, "enqueue", *given).data
    again = done(swather, "enqueue", *given).data
    assert (first["enqueued"], again["enqueued"], again["duplicates"]) == (41, 0, 41)
    tasks = done(swather, "tasks", "--db", database, "--json").data
    assert {(task["lane"], task["partition"]) for task in tasks} == {("www.yellowpages.com", "NV")}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_searches_come_from_a_file_with_priorities_that_count_from_one(
    swather: Swather, database: str, form: str
):
    rows = [("Reno", "NV", "gyms", 1), ("Elko", "NV", "gyms", 10)]
    names = ("city", "state", "category", "priority")
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    if form == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    Path(f"searches.{form}").write_text("\n".join(lines))
    options = ["--priority-column", "priority", "--lowest-first", "--db", database]
    options += ["--rows"] if form == "csv" else []
    done(swather, "enqueue", "listings", "--targets", f"searches.{form}", *options)
    tasks = done(swather, "tasks", "--db", database, "--json").data
    found = {(task["target"]["city"], task["priority"], task["partition"]) for task in tasks}
    assert found == {("Reno", 10, "NV"), ("Elko", 1, "NV")}


def test_a_search_may_be_an_argument_in_json(swather: Swather, database: str):
    search = {"city": "Reno", "state": "NV", "category": "gyms"}
    done(swather, "enqueue", "listings", json.dumps(search), "--db", database)
    [task] = done(swather, "tasks", "--db", database, "--json").data
    assert (task["target"], task["partition"]) == (search, "NV")


def test_the_scraper_is_shown_with_the_texts_of_its_file(swather: Swather):
    options = done(swather, "scrapers", "listings", "--json").data["options"]
    shown = {name: options[name] for name in ("partition", "targets", "key")}
    assert shown == {
        "partition": "{state}", "targets": "us_cities", "key": "the target's address",
    }  # fmt: skip
    assert "{state}" in done(swather, "scrapers", "listings").out


def test_a_search_without_its_city_is_refused_with_its_line(swather: Swather, database: str):
    Path("searches.csv").write_text("city,state,category\nReno,NV,gyms\n,NV,gyms\n")
    file = ("--targets", "searches.csv", "--rows", "--db", database)
    said = swather("enqueue", "listings", *file)
    assert said.code == 2
    assert "searches.csv line 3: a target needs a value of 'city'" in said.err


def test_help_tells_the_options(swather: Swather):
    said = done(swather, "run", "listings", "--help").out
    for word in ("--states", "--categories", "--min-population", "309,720"):
        assert word in said
