"""Site files on the command line: tried, run, enqueued, registered."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from swather.testing import Asked, FakeSite
from tests.cli.conftest import Swather

SITE = """
start = ["{url}/list"]
items = "article"
required = ["name"]
key = ["phone"]
[fields]
name = {{ css = "h2" }}
phone = [{{ microdata = "telephone", as = "phone" }}, {{ css = ".tel", as = "phone" }}]
city = {{ css = "i", default = "Bonn" }}
[[reject]]
field = "name"
matches = '^Closed'
reason = "closed"
[pagination]
next = "a.next"
[options]
rate = "none"
retries = 0
"""
PAGES = 4


def listed(asked: Asked) -> str:
    """Ten rows on each page: nameless, closed, one that is on every page, and seven others."""
    page = int(asked.query.partition("=")[2] or 1)
    rows = [f"<h2>Shop {page}.{n}</h2><b class=tel>+49 30 {page}{n}00 123</b>" for n in range(7)]
    rows += ["<b class=tel>+49 30 555 000</b>", f"<h2>Closed {page}</h2>"]
    rows += ["<h2>Everywhere</h2><b class=tel>+49 30 999 999</b>"]
    link = f"<a class=next href='/list?page={page + 1}'>next</a>" if page < PAGES else ""
    return "".join(f"<article>{row}</article>" for row in rows) + link


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with FakeSite({"/list": listed}) as opened:
        Path("yellow.toml").write_text(SITE.format(url=opened.url))
        yield opened


def test_try_shows_for_each_field_which_selector_gave_which_value(swather: Swather, site: FakeSite):
    said = swather("try", "yellow.toml", f"{site.url}/list")
    assert said.code == 0
    assert '"name": "Shop 1.0"' in said.out
    assert "2 rows rejected: 1 closed, 1 missing_name" in said.err
    shown = [line.split() for line in said.err.splitlines()]
    assert ["phone", "microdata", "'telephone'", "0", "of", "10", "nothing", "matches"] in shown
    assert ["css", "'.tel'", "9", "of", "10", "+49301000123"] in shown
    assert ["default", "10", "of", "10", "Bonn"] in shown
    data = swather("try", "yellow.toml", f"{site.url}/list", "--json").data
    assert data["rejected"] == {"missing_name": 1, "closed": 1}
    phone = [each for each in data["fields"] if each["field"] == "phone"]
    assert [(each["given"], each["rows"]) for each in phone] == [(0, 10), (9, 10)]


def test_the_test_of_a_fixture_loads_the_file(swather: Swather, site: FakeSite):
    said = swather("try", "yellow.toml", f"{site.url}/list", "--save-fixture", "f.json", "--json")
    test = said.data["fixture"]["test"]
    site.stop()
    try:
        namespace: dict = {}
        exec(test, namespace)  # noqa: S102 - what a user pastes into a file
        namespace["test_yellow"]()
    finally:
        site.start()


def test_try_shows_what_matches_nothing_when_the_layout_has_changed(swather: Swather, site):
    text = Path("yellow.toml").read_text().replace('"article"', '".card"')
    Path("yellow.toml").write_text(text)
    said = swather("try", "yellow.toml", f"{site.url}/list")
    assert said.code == 1
    assert "items  css '.card'  0" in said.err
    assert "(layout_changed)" in said.err
    assert "Traceback" not in said.err


def test_a_mistake_in_a_file_is_told_with_its_line(swather: Swather, site: FakeSite):
    text = Path("yellow.toml").read_text()
    Path("yellow.toml").write_text(text.replace('as = "phone"', 'as = "fone"', 1))
    said = swather("run", "yellow.toml")
    assert said.code == 2
    assert "yellow.toml:8: fields.phone[1].as: got 'fone'" in said.err
    assert "did you mean 'phone'?" in said.err
    assert "Traceback" not in said.err


@pytest.mark.slow
def test_a_site_file_runs_like_any_scraper(started: Swather, site: FakeSite, database: str):
    said = started("run", "yellow.toml", "--db", database, "--json")
    assert said.code == 0, said.err
    counts = said.data["counts"]
    assert counts["completed"] == PAGES
    # Seven on each page, and the one that is on every page once.
    assert (counts["items"], counts["duplicates"]) == (7 * PAGES + 1, PAGES - 1)
    assert counts["rejected"] == {"closed": PAGES, "missing_name": PAGES}
    seen = counts["items"] + counts["duplicates"] + sum(counts["rejected"].values())
    assert seen == 10 * PAGES
    lines = Path("yellow.jsonl").read_text().splitlines()
    assert len({msgspec.json.decode(line)["phone"] for line in lines}) == counts["items"]
    shown = started("status", "yellow", "--db", database)
    assert "rejected        8" in shown.out
    assert "missing_name  4" in shown.out
    again = started("run", "yellow.toml", "--db", database)
    assert "nothing left to scrape" in again.err
    # Enqueued here, worked on elsewhere.
    assert started("enqueue", "yellow.toml", "--new", "--db", database).code == 0
    worked = started("worker", "yellow.toml", "--db", database)
    assert worked.code == 0, worked.err
    newest = started("status", "yellow", "--db", database, "--json").data
    assert newest["counts"]["rejected"] == counts["rejected"]


@pytest.mark.slow
def test_the_log_says_that_a_list_went_in_circles(started: Swather, site: FakeSite, database: str):
    site.routes["/list"] = (
        "<article><h2>Shop</h2><b class=tel>+49 30 555 000</b></article>"
        "<a class=next href='/list?page=2'>next</a>"
    )
    said = started("run", "yellow.toml", "--db", database)
    assert said.code == 0, said.err
    assert "the list goes in circles" in started("logs", "yellow", "--db", database).out


@pytest.mark.slow
def test_a_page_with_another_layout_fails_its_task_with_that_reason(
    started: Swather, site: FakeSite, database: str
):
    site.routes["/list"] = "<h1>New design</h1>"
    said = started("run", "yellow.toml", "--db", database, "--json")
    assert said.code == 1
    assert said.data["counts"]["reasons"] == {"layout_changed": 1}


def test_site_files_are_registered_by_a_table_or_a_folder(swather: Swather, site: FakeSite):
    Path("sites").mkdir()
    Path("yellow.toml").rename("sites/yellow.toml")
    Path("swather.toml").write_text(
        'scrapers_folder = "sites"\n[scrapers.other]\npath = "sites/yellow.toml"\n'
    )
    names = {each["scraper"]: each for each in swather("scrapers", "--json").data}
    assert {"yellow", "other"} <= names.keys()
    assert swather("scrapers", "other", "--json").data["spec"].startswith("other=")


def test_a_new_site_file_works_and_its_schema_is_the_published_one(swather: Swather):
    said = swather("init", "new", "--site", "--json")
    assert "shop.toml" in said.data["files"]
    text = Path("new/shop.toml").read_text()
    assert text.startswith("#:schema ./site.schema.json\n")
    assert Path("new/site.schema.json").read_text() == swather("scrapers", "--schema").out
    assert swather("scrapers", "new/shop.toml", "--json").data["options"]["rate"] == "5/s"
    assert swather("init", "x", "--site", "--browser").code == 2
