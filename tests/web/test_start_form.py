"""The form that starts a registered scraper: its parameters are fields, and mistakes are said."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from swather.store import Store
from tests.web.seen import assert_only_for_reading, done, seen, words

SCRAPERS = '''
"""Reads pages of a shop."""
from dataclasses import dataclass, field
from typing import Annotated, Literal
from swather import scraper

@dataclass
class Params:
    shelf: Annotated[str, "Where the <b>books</b> stand."]
    pages: Annotated[int, "How many pages."] = 3
    language: Literal["en", "de"] = "en"
    reviews: bool = False
    tags: list[str] = field(default_factory=list)
    key: str = ""

@scraper(params=Params)
async def books(ctx, url):
    """Reads books."""
    return {}

@scraper
async def plain(ctx, url):
    return {}
'''
TABLES = """
[scrapers.books]
path = "shop.py:books"
[scrapers.books.params]
key = "hunter2"
[scrapers.plain]
path = "shop.py:plain"
targets = "targets.txt"
[scrapers.broken]
path = "missing.py"
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that the server runs in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(SCRAPERS)
    (folder / "swather.toml").write_text(TABLES)
    (folder / "targets.txt").write_text("https://a.example/own\n")
    monkeypatch.chdir(folder)


def hint(page: LexborHTMLParser, field: str) -> tuple[str, str]:
    found = page.css_first(f"#{field}-hint")
    assert found is not None
    return str(found.attributes["class"]), words(found)


def test_every_parameter_is_a_field_of_its_type(sqlite_client: TestClient) -> None:
    page = seen(sqlite_client, "/start/books")
    controls = {each.attributes["name"]: each.tag for each in page.css("[name^='p.']") if each.tag}
    assert controls == {
        "p.shelf": "input",
        "p.pages": "input",
        "p.language": "select",
        "p.reviews": "select",
        "p.tags": "textarea",
        "p.key": "input",
    }
    assert "required" in page.css_first("#p-shelf").attributes  # type: ignore[union-attr]
    assert hint(page, "p-shelf") == ("hint", "Where the <b>books</b> stand.")
    offered = [words(each) for each in page.css("#p-language option")]
    assert offered == ["default: en", "en", "de"]
    assert page.css_first("#p-pages").attributes["placeholder"] == "3"  # type: ignore[union-attr]
    key = page.css_first("#p-key").attributes["placeholder"]  # type: ignore[union-attr]
    assert key == "set where the server runs"
    assert "hunter2" not in page.html  # type: ignore[operator]


def test_all_registered_scrapers_are_offered(sqlite_client: TestClient) -> None:
    page = seen(sqlite_client, "/start")
    names = [words(each) for each in page.css("tbody th")]
    assert {"books", "plain", "media", "pages"} <= set(names)
    assert "Reads books." in words(page.css_first("table"))


def test_a_form_starts_a_run_with_typed_params(client: TestClient, store: Store) -> None:
    form = {
        "targets": "https://a.example/1\n\n  https://a.example/2  \nhttps://a.example/1",
        "p.shelf": "A7",
        "p.pages": "5",
        "p.language": "",
        "p.reviews": "true",
        "p.tags": "red\nblue, green\n",
    }
    answer = client.post("/start/books", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    (run,) = store.runs.find()
    assert answer.headers["location"] == f"/runs/{run.name}"
    assert run.scraper_params == {
        "shelf": "A7",
        "pages": 5,
        "reviews": True,
        "tags": ["red", "blue, green"],
        "key": "hunter2",
    }
    assert store.runs.counts(run.name).ready == 2
    assert done(store) == [("run start", "books")]
    # Params may be secret, and readers see the log.
    (action,) = store.actions.find()
    assert (set(action.detail), action.done) == ({"targets"}, 2)


def test_what_is_typed_opens_no_private_address(client: TestClient, store: Store) -> None:
    client.post("/start/plain", data={"targets": "http://127.0.0.1/secret"})
    (run,) = store.runs.find()
    assert store.allowed_hosts.pin(run.name, "127.0.0.1", 80, "127.0.0.1") is None


@pytest.mark.parametrize(
    ("name", "content", "targets"),
    [
        ("a.txt", b"https://a.example/1\nhttps://a.example/2\n", 2),
        ("../../a.csv", b"url,rank\nhttps://a.example/1,3\n", 1),
        ("a.jsonl", b'{"city": "Ulm"}\n{"city": "Bonn"}\n', 2),
    ],
)
def test_targets_come_from_a_file(
    sqlite_client: TestClient, sqlite: Store, name: str, content: bytes, targets: int
) -> None:
    answer = sqlite_client.post(
        "/start/plain", files={"file": (name, content)}, follow_redirects=False
    )
    assert answer.status_code == 303, answer.text
    (run,) = sqlite.runs.find()
    assert sqlite.runs.counts(run.name).ready == targets


def test_without_targets_those_of_the_scraper_are_loaded(
    sqlite_client: TestClient, sqlite: Store
) -> None:
    assert "targets.txt" in hint(seen(sqlite_client, "/start/plain"), "targets")[1]
    sqlite_client.post("/start/plain", data={})
    (run,) = sqlite.runs.find()
    assert sqlite.runs.counts(run.name).ready == 1


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"p.pages": "many"}, "p-pages", "expected int, got 'many'"),
        ({"p.shelf": " "}, "p-shelf", "this is needed: str"),
        ({"p.language": "<i>"}, "p-language", "expected one of en, de, got '<i>'"),
        ({"targets": ""}, "targets", "say what to scrape"),
        ({"targets": '{"a": 1}\n{"a": '}, "targets", "line 2: "),
        ({"targets": "a\0b"}, "targets", "line 1: contains a NUL character"),
    ],
)
def test_mistakes_are_said_next_to_their_field(
    sqlite_client: TestClient, sqlite: Store, given: dict[str, str], field: str, said: str
) -> None:
    form = {"targets": "https://a.example/1", "p.shelf": "A7", **given}
    answer = sqlite_client.post("/start/books", data=form)
    assert answer.status_code == 422
    page = LexborHTMLParser(answer.text)
    kind, text = hint(page, field)
    assert kind == "error"
    assert said in text
    # What was typed into the others is still there.
    assert page.css_first("#p-shelf").attributes["value"] == form["p.shelf"]  # type: ignore[union-attr]
    assert sqlite.runs.find() == []


def test_only_registered_names_are_started(sqlite_client: TestClient, sqlite: Store) -> None:
    for name in ("shop.py", "shop.py:books", "os:system", "nothing", "%2e%2e%2fshop.py"):
        assert sqlite_client.get(f"/start/{name}").status_code == 404, name
        answer = sqlite_client.post(f"/start/{name}", data={"targets": "https://a.example/"})
        assert answer.status_code == 404, name
    assert sqlite_client.get("/start/broken").status_code == 409
    assert sqlite.runs.find() == []


def test_a_reader_starts_nothing(sqlite_client: TestClient, sqlite: Store) -> None:
    assert_only_for_reading(sqlite_client, "/start/books")
    answer = sqlite_client.post("/start/plain", data={"targets": "https://a.example/"})
    assert answer.status_code == 403
    assert sqlite.runs.find() == []
