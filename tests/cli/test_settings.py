import re
from pathlib import Path

import pytest

from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write


def test_settings_are_kept_in_the_database_and_shown_with_their_origin(
    swather: Swather, database: str
):
    def origin() -> tuple[object, str]:
        found = swather("settings", "--db", database, "--json").data["concurrency"]
        return found["value"], found["origin"]

    assert origin() == (10, "default")
    said = swather("settings", "set", "concurrency", "50", "--db", database)
    assert said.code == 0, said.err
    assert said.out.startswith("concurrency is 50 for everyone on ")
    assert origin() == (50, "settings row")
    assert swather("settings", "get", "concurrency", "--db", database).out == "50\n"
    assert swather("settings", "unset", "concurrency", "--db", database).code == 0
    assert origin() == (10, "default")


def test_a_decorator_goes_before_the_default_and_after_the_file(swather: Swather):
    write(NUMBERS)
    found = swather("settings", "ls", "--scraper", "scrapers.py", "--json").data
    assert (found["retries"]["value"], found["retries"]["origin"]) == (1, "decorator")
    assert (found["timeout"]["value"], found["timeout"]["origin"]) == (60.0, "default")
    Path("swather.toml").write_text("retries = 2\n")
    data = swather("settings", "get", "retries", "--scraper", "scrapers.py", "--json").data
    assert data == {"name": "retries", "value": 2, "origin": "swather.toml"}


def test_all_commands_use_the_database_that_the_file_names(swather: Swather):
    Path("swather.toml").write_text('db = "sqlite:///mine.db"\n')
    assert swather("db", "init").code == 0
    assert Path("mine.db").exists()
    assert not Path("swather.db").exists()
    found = swather("settings", "--json").data["db"]
    assert (found["value"], found["origin"]) == ("sqlite:///mine.db", "swather.toml")


def test_a_table_for_people(swather: Swather):
    said = swather("settings")
    assert said.code == 0
    assert re.search(r"^lease_seconds +60 ", said.out, re.MULTILINE)
    assert "seconds after which others take over" in said.out


def test_looking_makes_no_database(swather: Swather):
    swather("settings")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("get", "nonsense"), "'nonsense' is not a setting"),
        (("set", "concurrency", "many"), "concurrency should be a valid integer"),
        (("set", "event_level", "loud"), "event_level should be 'none', 'failures' or 'all'"),
        (("set", "db", "x"), "db cannot be set in the database"),
        (("set", "concurrency"), "Missing argument 'VALUE'"),
        (("unset", "concurency"), "did you mean 'concurrency'?"),
    ],
)
def test_bad_input_is_one_line(swather: Swather, arguments, message):
    swather("db", "init")
    said = swather("settings", *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1
