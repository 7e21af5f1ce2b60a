"""What every test may use."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from tests import postgres
from tests.store.database import ReusedPostgres


def pytest_configure(config: pytest.Config) -> None:
    """Start the server before pytest-xdist starts its workers, which then share it."""
    if config.getoption("dist", "no") == "no" or hasattr(config, "workerinput"):
        return
    try:
        server = postgres.start()
    except postgres.NoPostgresError as error:
        raise pytest.UsageError(str(error)) from error
    os.environ[postgres.URL_VARIABLE] = server.url()
    config.add_cleanup(server.stop)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.PostgresServer]:
    """Lend one server to the whole session."""
    server = postgres.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def template_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "queue.db"
    swather.store.prepare(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def template(postgres_server: postgres.PostgresServer) -> Iterator[str]:
    """The name of a PostgreSQL database with Swather's tables, to be copied."""
    name = f"swather_template_{uuid.uuid4().hex}"
    postgres_server.create_database(name)
    swather.store.prepare(postgres_server.url(name))
    yield name
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def reused(postgres_server: postgres.PostgresServer, template: str) -> Iterator[ReusedPostgres]:
    """A copy that tests use one after another: deleting rows is quicker than copying files."""
    with postgres_server.fresh_database(template) as url:
        database = ReusedPostgres(url)
        yield database
        database.close()
