import json
from pathlib import Path

import pytest

from swather.testing import FakeSite
from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write
from tests.cli.test_start import loaded_by

SEARCH = """
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from swather import scraper


class Order(StrEnum):
    NEW = "new"
    OLD = "old"


@dataclass
class Search:
    country: Annotated[str, "Where to look."]
    max_price: float | None = None
    tags: list[str] = field(default_factory=list)
    with_images: bool = False
    order: Order = Order.NEW
    size: Literal["s", "m"] = "m"
    json: str = "taken"
    targets: int = 1


@scraper(params=Search)
def search(ctx, target):
    return vars(ctx.params)
"""


@pytest.fixture
def search() -> str:
    return write(SEARCH, "search.py")


def test_parameters_are_options_of_the_commands_that_take_a_scraper(swather: Swather, search: str):
    said = swather(
        "try", search, "--country", "nl", "--max-price=9.5", "--tags", "a", "x", "--tags", "b",
        "--with-images", "--order", "old", "--size", "s", "-p", "json=given", "--targets", "3",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert said.data == {
        "country": "nl",
        "max_price": 9.5,
        "tags": ["a", "b"],
        "with_images": True,
        "order": "old",
        "size": "s",
        "json": "given",
        "targets": 3,
    }


def test_an_option_is_the_same_as_its_parameter(swather: Swather, search: str):
    first = swather("enqueue", search, "x", "--country", "nl", "--no-with-images", "--json")
    assert first.code == 0, first.err
    same = swather("enqueue", search, "x", "-p", "country=nl", "-p", "with_images=no", "--json")
    assert same.code == 2
    same = swather("enqueue", search, "x", "-p", "country=nl", "-p", "with_images=false", "--json")
    assert (first.data["enqueued"], same.data["enqueued"]) == (1, 0)
    assert same.data["run"] == first.data["run"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--contry", "nl"), "No such option: --contry (Possible options: --country)"),
        (("--max_price", "1"), "No such option: --max_price (Possible options: --max-price)"),
        (("--country", "nl", "--max-price", "much"), "expected float | None, got 'much'"),
        (("--country", "nl", "--size", "xl"), "'size': expected"),
        ((), "missing 'country' (str)"),
        (("--country",), "Option '--country' requires an argument"),
        (("--with-images=yes",), "Option '--with-images' does not take a value"),
        (("--country", "nl", "--country", "de", "-p", "country=be"), "'country': expected str"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_told_in_one_line_with_the_nearest(
    swather: Swather, search: str, arguments, message
):
    said = swather("run", search, "x", *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1
    assert not Path("swather.db").exists()


def test_a_scraper_without_declared_parameters_has_no_options(swather: Swather):
    write(NUMBERS)
    said = swather("run", "scrapers.py", "1", "--zoom", "3")
    assert said.code == 2
    assert "No such option: --zoom; 'numbers' declares no params, -p takes any" in said.err


def test_options_of_a_scraper_come_after_its_name(swather: Swather, search: str):
    said = swather("try", "--country", "nl", search, "x")
    assert said.code == 2
    assert "No such option: --country; options of a scraper come after its name" in said.err
    assert swather("try", "--json", search, "--country", "nl", "x").code == 0


def test_after_two_dashes_everything_is_a_target(swather: Swather, search: str):
    assert swather("try", search, "--country", "nl", "--", "--country").code == 0


def test_a_scraper_that_cannot_be_loaded_is_told(swather: Swather):
    write("1 / 0", "broken.py")
    for arguments in (("--country", "nl"), ("--help",)):
        said = swather("run", "broken.py", *arguments)
        assert said.code == 2
        assert "broken.py cannot be loaded: ZeroDivisionError" in said.err


@pytest.mark.parametrize("command", ["run", "try", "enqueue"])
def test_help_with_a_scraper_lists_its_options_under_their_own_heading(
    swather: Swather, search: str, command
):
    plain = swather(command, "--help").out
    said = swather(command, search, "--help")
    assert said.code == 0
    own, heading, options = said.out.partition("\nOptions of search:\n")
    assert heading
    assert plain.startswith(own)
    lines = " ".join(options.split())
    assert "--country TEXT Where to look. [required]" in lines
    assert "--max-price NUMBER" in lines
    assert "--tags TEXT May be repeated." in lines
    assert "--with-images / --no-with-images [default: no]" in lines
    assert "--order new|old [default: new]" in lines
    assert "--size s|m [default: m]" in lines
    assert "-p json=TEXT [default: taken]" in lines
    by_option = "--targets N [default: 1]" in lines
    assert by_option is (command == "try")
    assert ("-p targets=N [default: 1]" in lines) is not by_option


def test_scrapers_shows_the_parameters(swather: Swather, search: str):
    said = swather("scrapers", search, "--json")
    assert said.data["params"][0] == {
        "name": "country",
        "option": "--country TEXT",
        "type": "str",
        "required": True,
        "default": None,
        "help": "Where to look.",
    }
    said = swather("scrapers", "pages")
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "param option default what" in lines
    assert any(line.startswith("same_host --same-host / --no-same-host yes ") for line in lines)
    assert any(line.startswith("save --save markdown|html|none markdown ") for line in lines)


def test_help_has_what_a_scraper_says_of_itself_and_its_own_examples(swather: Swather):
    said = swather("run", "subtitles", "--help")
    assert "\nThe scraper subtitles:\n  Downloads subtitles of videos" in said.out
    assert "\nExamples:\n  swather try subtitles dQw4w9WgXcQ\n" in said.out
    assert "books.py" not in said.out
    assert "--cookies FILE " in said.out
    assert "--lang LANGUAGE " in said.out


def test_pages_is_installed(swather: Swather):
    assert "pages" in [each["scraper"] for each in swather("scrapers", "--json").data]


@pytest.mark.parametrize("arguments", [["run", "--help"], ["run", "-h", "--json"]])
def test_help_without_a_scraper_loads_none(arguments):
    modules = loaded_by(f"from swather.cli import main; main({arguments})", whole=True)
    assert "swather.cli.run" in modules
    assert [
        name for name in modules if name.startswith(("swather.builtin", "swather.scraping"))
    ] == []


ROUTES = {
    "/": "<title>home</title><a href=a>a</a><a href=b>b</a><a href=gone>gone</a>",
    "/a": "<title>a</title><a href=c>c</a>",
    "/b": "<title>b</title><a href=d>d</a>",
    "/c": "<title>c</title>",
    "/d": "<title>d</title>",
}


def titles(path: str) -> list[str]:
    return sorted(json.loads(line)["title"] for line in Path(path).read_text().splitlines())


@pytest.mark.slow
def test_a_site_is_crawled_by_one_command(swather: Swather):
    with FakeSite(ROUTES) as site:
        said = swather(
            "run", "pages", site.url, "--same-host", "--max-depth", "1", "--exclude", "/b$",
            "-o", "out.jsonl", "--json",
        )  # fmt: skip
    assert said.code == 1, said.err
    assert said.data["counts"]["reasons"] == {"ok": 2, "not_found": 1}
    assert titles("out.jsonl") == ["a", "home"]


@pytest.mark.slow
def test_a_limit_holds_for_what_a_run_finds_itself(swather: Swather):
    with FakeSite(ROUTES) as site:
        said = swather("run", "pages", site.url, "--limit", "3", "--json")
        again = swather("run", "pages", site.url, "--limit", "3")
    assert said.data["counts"]["completed"] == 3
    assert said.data["counts"]["over_limit"] > 0
    assert titles("pages.jsonl") == ["a", "b", "home"]
    assert "The run's limit was reached; further targets were left out." in again.out


@pytest.mark.slow
def test_a_file_of_urls_is_crawled_and_a_url_in_it_is_not_crawled_twice(swather: Swather):
    with FakeSite(ROUTES) as site:
        Path("urls.txt").write_text(f"{site.url}/\n{site.url}/a\n")
        said = swather("run", "pages", "--targets", "urls.txt", "--exclude", "gone")
        assert said.code == 0, said.err
        assert titles("pages.jsonl") == ["a", "b", "c", "d", "home"]
        assert site.requests["/a"] == 1
