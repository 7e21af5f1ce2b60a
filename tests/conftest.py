"""What every test may use."""

import os
from collections.abc import Iterator

import pytest

from tests import postgres


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
