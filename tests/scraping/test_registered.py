"""Scrapers that are known by a name: from a package, a folder, or a table of swather.toml."""

import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from swather.errors import BadSetting, LoadError
from swather.runs.configuration import apply, resolve, run_params
from swather.scraping import installed as entries
from swather.scraping import registry
from swather.scraping.available import Available
from swather.scraping.option_checks import ExecutionMode
from swather.scraping.registered import ScheduleText, registered
from tests.scraping.attempts import nothing
from tests.scraping.test_available import a_run

CODE = """
from swather import scraper


@scraper(retries=1, timeout=9)
def catalogue(ctx, target):
    return target
"""
BOOKS = """
[scrapers.books]
path = "stock/shop.py"
execution_mode = "distributed"
retries = 5
targets = "cities.csv"
params = { pages = 3 }
schedule = "0 2 * * *"
on_end = "notify-send done"
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own with the code of a scraper, and one installed scraper."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("stock").mkdir()
    Path("stock/shop.py").write_text(CODE)
    points = [EntryPoint("nothing", "tests.scraping.attempts:nothing", entries.ENTRY_POINTS)]
    monkeypatch.setattr(entries, "entry_points", lambda group: points)


def toml(text: str) -> None:
    Path("swather.toml").write_text(text)


def test_a_table_says_all_about_a_scraper(tmp_path: Path):
    toml(BOOKS)
    books = registered()["books"]
    assert books.execution_mode is ExecutionMode.DISTRIBUTED
    assert books.settings == {"retries": 5}
    assert books.params == {"pages": 3}
    assert books.targets == tmp_path / "cities.csv"
    assert books.schedule == ScheduleText("0 2 * * *", "", "")
    assert books.hooks == {"on_end": "notify-send done"}
    assert books.origin == "swather.toml: [scrapers.books]"


def test_pyproject_has_tables_too_and_swather_toml_goes_first():
    Path("pyproject.toml").write_text(
        "[tool.swather.scrapers.books]\npath = 'a.py'\n[tool.swather.scrapers.more]\npath = 'b.py'"
    )
    toml(BOOKS)
    found = registered()
    assert found["books"].file == Path("stock/shop.py").resolve()
    assert found["more"].origin == "pyproject.toml: [tool.swather.scrapers.more]"


def test_a_registered_scraper_has_the_name_it_is_registered_under_in_every_process():
    toml(BOOKS)
    found = registry.load("books")
    assert (found.name, found(None, 3)) == ("books", 3)
    assert found.spec == f"books={Path('stock/shop.py').resolve()}:catalogue"
    again = registry.load(found.spec)
    assert (again.name, again.function, again.spec) == ("books", found.function, found.spec)
    assert registry.absolute("books") == f"books={Path('stock/shop.py').resolve()}"


@pytest.mark.parametrize(
    ("path", "name"),
    [("stock.shop:catalogue", "books"), ("nothing", "books"), ("nothing", "nothing")],
)
def test_a_path_may_be_a_module_or_an_installed_name(path: str, name: str):
    toml(f"[scrapers.{name}]\npath = '{path}'")
    assert registry.load(name).name == name


def test_a_table_without_a_path_configures_what_is_installed():
    toml("[scrapers.nothing]\nmax_retries = 7")
    assert registered()["nothing"].settings == {"retries": 7}
    assert registry.load("nothing") is nothing


def test_every_file_of_the_folder_is_a_scraper(monkeypatch: pytest.MonkeyPatch):
    for name in ("_shared", "test_shop", "conftest"):
        Path(f"stock/{name}.py").write_text("raise AssertionError")
    toml("scrapers_folder = 'stock'\n[scrapers.shop]\nrate = '2/s'")
    assert list(registered()) == ["nothing", "shop"]
    assert registered()["shop"].settings == {"rate": "2/s"}
    assert registry.load("shop").name == "shop"
    toml("")
    assert list(registered()) == ["nothing"]
    monkeypatch.setenv("SWATHER_SCRAPERS_FOLDER", "stock")
    assert list(registered()) == ["nothing", "shop"]


def test_the_table_goes_before_the_general_settings_and_after_all_else(
    monkeypatch: pytest.MonkeyPatch,
):
    toml("retries = 8\ntimeout = 20\n" + BOOKS)
    books = registry.load("books")
    resolved = resolve(scraper=books)
    assert resolved.origins["retries"] == "its table in swather.toml"
    options = apply(books, resolved.settings).options
    assert (options.retries, options.timeout) == (5, 20)
    monkeypatch.setenv("SWATHER_RETRIES", "6")
    assert resolve(scraper=books).settings.retries == 6
    assert resolve(None, {"retries": 7}, books).settings.retries == 7
    assert resolve(scraper=nothing).settings.retries == 6


def test_params_of_the_table_go_before_those_of_all_scrapers(monkeypatch: pytest.MonkeyPatch):
    toml("[params.books]\npages = 1\nwide = true\n" + BOOKS)
    books = registry.load("books")
    settings = resolve(scraper=books).settings
    assert run_params(books, [], settings) == {"pages": 3, "wide": True}
    monkeypatch.setenv("SWATHER_PARAMS__BOOKS__PAGES", "4")
    assert run_params(books, {}, settings)["pages"] == "4"
    assert run_params(books, {"pages": 5}, settings)["pages"] == 5


def test_a_worker_takes_a_registered_scraper_for_the_run_that_names_it():
    """Also if the run began on a machine where its code is elsewhere."""
    toml(BOOKS)
    run = a_run("books", "/srv/other/shop.py:catalogue")
    assert Available().of(run).name == "books"
    assert list(Available().all()) == ["nothing", "books"]


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ("[scrapers.books]\nrate = '1/s'", r"\[scrapers.books\] needs a path, such as path = 'boo"),
        ("[scrapers.books]\npath = 3", r"\[scrapers.books\] path must be a text, got 3"),
        ("[scrapers.books]\npath = 'shops'", "path must be a file.py, .* got 'shops'"),
        ("[scrapers.books]\npath = 'a.py'\nrat = 3", "'rat' cannot be set .* did you mean 'rate'"),
        ("[scrapers.books]\npath = 'a.py'\nworkers = 3", "'workers' cannot be set for one scraper"),
        (
            "[scrapers.books]\npath = 'a.py'\nrate = 'x'",
            r"\[scrapers.books\]: rate should look lik",
        ),
        ("[scrapers.books]\npath = 'a.py'\nexecution_mode = 'x'", "one of single, distributed"),
        ("[scrapers.books]\npath = 'a.py'\nparams = 3", "params must be a table, got 3"),
        ("[scrapers.books]\npath = 'a.py'\nparams = { x = nan }", "params"),
        ("[scrapers.books]\npath = 'a.py'\nschedule = {}", "schedule must be like '0 2"),
        ("[scrapers.books]\npath = 'a.py'\nschedule = { cron = 'x', at = 'y' }", "schedule takes"),
        ("[scrapers]\nbooks = 'a.py'", "must be a table, got 'a.py'"),
        ("scrapers = 3", "scrapers must be tables, got 3"),
        ("[scrapers.'Canada Quebec']\npath = 'a.py'", "a scraper's name has up to 100"),
        ("[scrapers.'a.py']\npath = 'a.py'", "does not end in '.py'"),
        ("scrapers_folder = 'nowhere'", "scrapers_folder: there is no folder '.*nowhere'"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_file_and_key(table: str, complaint: str):
    toml(table)
    with pytest.raises(BadSetting, match=complaint) as told:
        registered()
    assert "swather.toml: " in str(told.value) or "scrapers_folder" in str(told.value)


def test_broken_code_says_where_its_name_comes_from():
    toml("[scrapers.books]\npath = 'gone.py'")
    with pytest.raises(
        LoadError, match=r"scraper 'books' \(swather\.toml: .*\): there is no file '.*gone\.py'"
    ):
        registry.load("books")


def test_an_unknown_name_says_where_it_was_looked_for(tmp_path: Path):
    toml(BOOKS)
    with pytest.raises(
        LoadError, match=rf"registered in {tmp_path} or installed; did you mean 'bo"
    ):
        registry.load("book")


def test_names_that_other_users_could_have_written_are_refused():
    toml(BOOKS)
    Path("stock/shop.py").chmod(0o666)
    with pytest.raises(
        LoadError, match=r"shop\.py can be written by everyone, so it is not run as"
    ):
        registry.load("books")
    Path("swather.toml").chmod(0o666)
    with pytest.raises(LoadError, match=r"swather\.toml can be written by everyone, so it may not"):
        registered()
    toml("rate = '1/s'")
    assert list(registered()) == ["nothing"]


def test_a_file_of_another_user_names_no_code(monkeypatch: pytest.MonkeyPatch):
    toml(BOOKS)
    if os.geteuid() == 0:
        os.chown("swather.toml", 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(
        LoadError, match=r"swather\.toml belongs to another user \(number \d+\), so"
    ):
        registered()
