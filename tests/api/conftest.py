"""What tests of the API begin with: a store on either database, and an application over it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import swather.store
from swather.access_token import Tokens
from swather.api.acting import Acting
from swather.api.app import new_app
from swather.api.guard import App
from swather.api.live import Live
from swather.api.recent import Recent
from swather.api.served import Served
from swather.api.stores import Stores
from swather.settings import Settings
from swather.store import Store
from swather.web.errors import draw_problem
from swather.web.pages import PAGES

ADMIN = "a-token-for-all-of-it"
READER = "a-token-for-reading"
BASE = "http://127.0.0.1:8765"


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        template = request.getfixturevalue("template_file")
        opened = swather.store.open(f"sqlite:///{shutil.copyfile(template, tmp_path / 'queue.db')}")
        yield opened
        opened.close()
        return
    reused = request.getfixturevalue("reused")
    opened = swather.store.open(reused.url)
    yield opened
    opened.close()
    reused.empty()


@pytest.fixture
def sqlite(template_file: Path, tmp_path: Path) -> Iterator[Store]:
    """For what does not depend on the database."""
    opened = swather.store.open(f"sqlite:///{shutil.copyfile(template_file, tmp_path / 'one.db')}")
    yield opened
    opened.close()


@pytest.fixture
def tokens() -> Tokens:
    return Tokens(admin=ADMIN, reader=READER)


def an_app(store: Store, tokens: Tokens, *, recent_seconds: float = 0.0) -> tuple[App, Served]:
    """Everything that a server serves, API and pages. What pages have read is not kept, as tests
    change the store behind them.
    """
    served = Served(
        stores=Stores(store),
        settings=Settings(db=store.url),
        tokens=tokens,
        live=Live(),
        recent=Recent(for_seconds=recent_seconds),
        acting=Acting(store),
    )
    return new_app(served, *PAGES, draw=draw_problem), served


@pytest.fixture
def client(store: Store, tokens: Tokens) -> Iterator[TestClient]:
    """One that may do everything."""
    app, served = an_app(store, tokens)
    with TestClient(app, base_url=BASE, headers={"authorization": f"Bearer {ADMIN}"}) as made:
        yield made
    served.acting.close()
    served.stores.close()


@pytest.fixture
def sqlite_client(sqlite: Store, tokens: Tokens) -> Iterator[TestClient]:
    """The same, on SQLite only."""
    app, served = an_app(sqlite, tokens)
    with TestClient(app, base_url=BASE, headers={"authorization": f"Bearer {ADMIN}"}) as made:
        yield made
    served.acting.close()
    served.stores.close()


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a scraper that is registered where the server runs."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "books.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import Annotated, Literal\n"
        "from swather import scraper\n\n"
        "@dataclass(frozen=True)\n"
        "class Params:\n"
        '    pages: Annotated[int, "How many pages."] = 3\n'
        '    order: Literal["new", "old"] = "new"\n'
        "    site: str | None = None\n\n"
        "@scraper(params=Params)\n"
        "async def books(ctx, url):\n"
        '    """Titles of books."""\n'
    )
    (folder / "swather.toml").write_text('[scrapers.books]\npath = "books.py"\n')
    monkeypatch.chdir(folder)
    return "books"
