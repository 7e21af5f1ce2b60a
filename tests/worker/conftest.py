"""Workers in this process, on SQLite unless a test asks for both databases."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather.store import Store
from tests.worker.given import Shop
from tests.worker.sites import NotingSite


@pytest.fixture
def sqlite_url(template_file: Path, tmp_path: Path) -> str:
    return f"sqlite:///{shutil.copyfile(template_file, tmp_path / 'queue.db')}"


@pytest.fixture(params=["sqlite", "postgres"])
def either_url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_url")
        return
    server = request.getfixturevalue("postgres_server")
    with server.fresh_database(request.getfixturevalue("template")) as url:
        yield url


@pytest.fixture
def store(sqlite_url: str) -> Iterator[Store]:
    opened = swather.store.open(sqlite_url)
    yield opened
    opened.close()


@pytest.fixture
def shop(store: Store, tmp_path: Path) -> Iterator[Shop]:
    """A place to run workers in, on SQLite."""
    opened = Shop(store, tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def either_shop(either_url: str, tmp_path: Path) -> Iterator[Shop]:
    """A place to run workers in, once on each database."""
    store = swather.store.open(either_url)
    opened = Shop(store, tmp_path)
    yield opened
    opened.close()
    store.close()


@pytest.fixture
def site() -> Iterator[NotingSite]:
    with NotingSite() as opened:
        yield opened


@pytest.fixture
def other() -> Iterator[NotingSite]:
    with NotingSite() as opened:
        yield opened
