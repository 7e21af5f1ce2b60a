"""One suite for both databases: every test that asks for `store` runs on SQLite and PostgreSQL."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database, Postgres, SQLite
from tests.store.field import Field, a_field


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgres"])
def database_kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for SQLite files, apart from what a test writes."""
    made = tmp_path_factory.mktemp("database")
    yield made
    shutil.rmtree(made)


@pytest.fixture
def database(
    database_kind: str, request: pytest.FixtureRequest, folder: Path
) -> Iterator[Database]:
    """A database with the tables of this release and nothing in them."""
    if database_kind == "sqlite":
        yield SQLite(shutil.copyfile(request.getfixturevalue("template_file"), folder / "queue.db"))
        return
    postgres = request.getfixturevalue("reused")
    yield postgres
    postgres.empty()


@pytest.fixture
def own_database(
    database_kind: str, request: pytest.FixtureRequest, folder: Path
) -> Iterator[Database]:
    """The same for tests that change more than rows."""
    if database_kind == "sqlite":
        yield SQLite(shutil.copyfile(request.getfixturevalue("template_file"), folder / "own.db"))
        return
    server = request.getfixturevalue("postgres_server")
    with server.fresh_database(request.getfixturevalue("template")) as url:
        postgres = Postgres(url)
        yield postgres
        postgres.close()


@pytest.fixture
def empty_database(
    database_kind: str, request: pytest.FixtureRequest, folder: Path
) -> Iterator[Database]:
    """A database without tables; on SQLite not even a file."""
    if database_kind == "sqlite":
        yield SQLite(folder / "empty.db")
        return
    with request.getfixturevalue("postgres_server").fresh_database() as url:
        postgres = Postgres(url)
        yield postgres
        postgres.close()


@pytest.fixture
def store(database: Database, clock: Clock) -> Iterator[Store]:
    opened = swather.store.open(database.url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def own_store(own_database: Database, clock: Clock) -> Iterator[Store]:
    opened = swather.store.open(own_database.url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def other(store: Store) -> Iterator[Store]:
    """A second store on the same database, as another process would have."""
    opened = store.another()
    yield opened
    opened.close()


@pytest.fixture
def field(store: Store) -> Iterator[Field]:
    with a_field(store) as made:
        yield made
