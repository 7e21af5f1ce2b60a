"""Workers in this process, on SQLite unless a test asks for both databases."""

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather.store import Store
from tests.postgres import PostgresServer
from tests.worker.given import Shop


@pytest.fixture(scope="session")
def template(postgres_server: PostgresServer) -> Iterator[str]:
    """A database with Swather's tables, to be copied for each test."""
    name = f"swather_template_{uuid.uuid4().hex}"
    postgres_server.create_database(name)
    swather.store.prepare(postgres_server.url(name))
    yield name
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def template_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "queue.db"
    swather.store.prepare(f"sqlite:///{path}")
    return path


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
