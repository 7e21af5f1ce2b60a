"""PostgreSQL as the tests get it, but with a disk that is waited for."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tests import postgres

URL_VARIABLE = "SWATHER_BENCH_POSTGRES"
DURABLE = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "shared_buffers": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    # Five for each of fifty workers, and some to look with.
    "max_connections": "300",
}


@contextmanager
def postgres_server() -> Iterator[postgres.PostgresServer]:
    """The server of SWATHER_BENCH_POSTGRES, or a private one that loses nothing."""
    if given := os.environ.get(URL_VARIABLE):
        yield postgres.PostgresServer(given)
        return
    os.environ.pop(postgres.URL_VARIABLE, None)
    postgres.SETTINGS.update(DURABLE)
    server = postgres.start()
    try:
        yield server
    finally:
        server.stop()
