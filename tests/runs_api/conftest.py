"""Both databases, with tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.store import prepare


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'queue.db'}"
        return
    with request.getfixturevalue("postgres_server").fresh_database() as address:
        prepare(address)
        yield address


@pytest.fixture(autouse=True)
def an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
