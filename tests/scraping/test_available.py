"""Which scrapers a process may run."""

from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from swather.errors import InputError, LoadError
from swather.model.lease import Strategy
from swather.model.pacing import NO_LIMITS
from swather.model.run import RESERVED_PARAM, Run, RunState
from swather.scraping import installed as entries
from swather.scraping.available import Available
from tests.scraping.attempts import nothing

BOOKS = """
from swather import scraper


@scraper
def {name}(ctx, target):
    return target
"""
WHERE = "tests.scraping.attempts:nothing"


def a_run(scraper: str, begun_with: str = "") -> Run:
    return Run(
        id=1,
        name="first",
        scraper=scraper,
        params={RESERVED_PARAM: {"scraper": begun_with}} if begun_with else {},
        version="",
        strategy=Strategy.FIFO,
        lane_limits=NO_LIMITS,
        state=RunState.OPEN,
        paused=False,
        load_incomplete=False,
        times_finished=0,
        created_at=datetime.now(UTC),
        finished_at=None,
    )


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One under its own name, one under another, and one that is broken."""
    points = [
        EntryPoint("nothing", WHERE, entries.ENTRY_POINTS),
        EntryPoint("other", "swather.builtin.pages.scraper:pages", entries.ENTRY_POINTS),
        EntryPoint("broken", "no_such_module:x", entries.ENTRY_POINTS),
        EntryPoint("nothing", "shadowing:evil", entries.ENTRY_POINTS),
    ]
    monkeypatch.setattr(entries, "entry_points", lambda group: points)


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, file: str) -> str:
        path = tmp_path / file
        path.write_text(BOOKS.format(name=name))
        return str(path)

    return write


def test_what_is_given_and_what_is_installed_is_available(write, caplog: pytest.LogCaptureFixture):
    found = Available([write("books", "a.py")]).all()
    assert list(found) == ["books", "nothing", "pages"]
    assert found["nothing"] is nothing
    assert "skipping the scraper 'broken'" in caplog.text


def test_a_given_scraper_goes_before_an_installed_one(write):
    path = write("nothing", "a.py")
    available = Available([path])
    assert available.of(a_run("nothing")).spec == f"{path}:nothing"
    assert available.all()["nothing"].spec == f"{path}:nothing"


def test_the_same_scraper_may_be_given_twice(write):
    path = write("books", "a.py")
    assert Available([path, f"{path}:books"]).of(a_run("books")).name == "books"


def test_two_scrapers_of_one_name_cannot_be_told_apart(write):
    with pytest.raises(InputError, match=r"two scrapers are named 'books', .*a\.py:.* and "):
        Available([write("books", "a.py"), write("books", "b.py")])


def test_an_installed_scraper_is_found_by_its_own_name():
    assert Available().of(a_run("nothing")) is nothing
    assert Available().of(a_run("nothing", WHERE)) is nothing
    assert Available().of(a_run("pages")).name == "pages"


@pytest.mark.parametrize("name", [WHERE, "a.py", "a.py:books", "other"])
def test_a_name_is_no_path_no_module_and_no_entry_point(write, monkeypatch, name: str):
    monkeypatch.chdir(Path(write("books", "a.py")).parent)
    with pytest.raises(InputError, match=r"only for: nothing, pages\); pass it as SCRAPER"):
        Available().of(a_run(name))


@pytest.mark.parametrize("name", ["/a.py", "/a.py:books", "", "../a"])
def test_a_name_that_could_be_a_path_is_not_even_read(name: str):
    with pytest.raises(InputError, match="cannot be used as a file name"):
        a_run(name)


def test_a_broken_one_says_why():
    with pytest.raises(LoadError, match="no_such_module"):
        Available().of(a_run("broken"))


def test_a_run_of_another_scraper_of_the_same_name_has_to_be_named():
    with pytest.raises(InputError, match=r"another scraper than tests\.scraping\.attempts:nothing"):
        Available().of(a_run("nothing", "/home/me/nothing.py:nothing"))
    assert Available(["nothing"]).of(a_run("nothing", "/home/me/nothing.py:nothing")) is nothing
