"""Real processes, really killed; on SQLite unless a test asks for both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather.store import Store
from tests.process.given import Yard
from tests.worker.conftest import either_url, sqlite_url

__all__ = ["either_url", "sqlite_url"]


@pytest.fixture
def store(sqlite_url: str) -> Iterator[Store]:
    opened = swather.store.open(sqlite_url)
    yield opened
    opened.close()


@pytest.fixture
def yard(store: Store, tmp_path: Path) -> Iterator[Yard]:
    opened = Yard(store, tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def either_yard(either_url: str, tmp_path: Path) -> Iterator[Yard]:
    store = swather.store.open(either_url)
    opened = Yard(store, tmp_path)
    yield opened
    opened.close()
    store.close()
