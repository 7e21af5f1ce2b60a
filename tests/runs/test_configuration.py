"""Parameters of a run: the command first, then the environment, .env and swather.toml."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from swather.errors import InputError
from swather.runs.configuration import resolve, run_params
from swather.scraping.params import Variable
from swather.scraping.scraper import scraper


@dataclass(frozen=True, kw_only=True)
class Params:
    pages: Annotated[int, "How many.", Variable("MAX_PAGES")] = 1
    country: str = "nl"


@scraper(name="old-books", params=Params)
def books(ctx, target): ...


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def found(given=()):
    return run_params(books, given, resolve().settings)


def test_the_first_place_that_names_a_parameter_wins(monkeypatch: pytest.MonkeyPatch):
    assert found() == {}
    Path("swather.toml").write_text("[params.old-books]\npages = 2\ncountry = 'de'\n")
    assert found() == {"pages": 2, "country": "de"}
    Path(".env").write_text("MAX_PAGES=3\n")
    assert found() == {"pages": 3, "country": "de"}
    monkeypatch.setenv("MAX_PAGES", "4")
    assert found()["pages"] == 4
    monkeypatch.setenv("SWATHER_PARAMS__OLD_BOOKS__PAGES", "5")
    assert found()["pages"] == 5
    assert found(["pages=6"]) == {"pages": 6, "country": "de"}
    assert found({"pages": 7})["pages"] == 7


def test_a_variable_for_an_unknown_parameter_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_PARAMS__OLD_BOOKS__PAGE", "5")
    with pytest.raises(InputError, match="unknown 'page'"):
        found()
    monkeypatch.setenv("SWATHER_PARAMS__OLD_BOOKS__PAGE", "")
    monkeypatch.setenv("SWATHER_PARAMS__OTHERS__PAGE", "5")
    assert found() == {}
