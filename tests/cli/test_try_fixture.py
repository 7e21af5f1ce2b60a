"""try --save-fixture: pages for a test, and the test."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.testing import FakeSite
from tests.cli.conftest import Swather
from tests.cli.scrapers import write

TITLES = """
from swather import scraper


@scraper(name="book-titles", allow_private=True)
async def titles(ctx, url):
    page = await ctx.get(url)
    for node in page.css("h3"):
        yield {"title": node.text()}
    ctx.follow("/two")
"""
BROKEN = TITLES.replace('page.css("h3")', "[page.nothing]")


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with FakeSite({"/": "<h3>One</h3>\n<h3>Two</h3>\n"}) as opened:
        yield opened


def test_the_pages_are_saved_and_a_test_is_shown(swather: Swather, site: FakeSite):
    write(TITLES)
    said = swather("try", "scrapers.py", site.url + "/", "--save-fixture", "titles.json")
    assert said.code == 0, said.err
    assert "1 page saved in titles.json, " in said.err
    assert said.out.count('"title"') == 2
    saved = json.loads(Path("titles.json").read_text())
    assert [page["url"] for page in saved["pages"]] == [site.url + "/"]
    assert saved["pages"][0]["text"] == ["<h3>One</h3>", "<h3>Two</h3>", ""]


@pytest.mark.slow
def test_the_test_that_is_shown_passes_without_the_site(swather: Swather, site: FakeSite):
    write(TITLES)
    said = swather("try", "scrapers.py", site.url + "/", "--save-fixture", "titles.json", "--json")
    assert said.code == 0, said.err
    test = said.data["fixture"]["test"]
    assert "def test_book_titles():" in test
    assert "assert scraped.items[0] == {'title': 'One'}" in test
    Path("test_titles.py").write_text(f"{test}\n")
    site.stop()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_titles.py"],
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": "."},
        )
    finally:
        site.start()
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_what_a_broken_scraper_was_given_is_saved_too(swather: Swather, site: FakeSite):
    write(BROKEN)
    said = swather("try", "scrapers.py", site.url + "/", "--save-fixture", "titles.json")
    assert said.code == 1
    assert "AttributeError" in said.err
    assert "1 page saved in titles.json" in said.err
    assert len(json.loads(Path("titles.json").read_text())["pages"]) == 1


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/titles.json", "there is no folder nowhere"),
        (".", ". is a folder"),
        ("scrapers.py", "scrapers.py is not a fixture"),
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_a_request(
    swather: Swather, site: FakeSite, path, message
):
    write(TITLES)
    said = swather("try", "scrapers.py", site.url + "/", "--save-fixture", path)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert not site.requests
