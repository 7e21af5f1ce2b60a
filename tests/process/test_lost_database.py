"""A database that becomes unusable under a run: said once, with exit code 3."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import psycopg
import pytest

import swather.store
from tests.postgres import PostgresServer
from tests.worker.given import wait_until

SCRAPER = """
import pathlib, time
from swather import scraper

@scraper
def slow(ctx, number):
    with open("begun", "a") as file:
        file.write("x")
    time.sleep(0.1)
    return {"number": number}
"""


def deleted(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replaced(path: Path) -> None:
    other = path.with_name("other.db")
    apsw.Connection(str(other)).execute("CREATE TABLE strangers (id)")
    other.replace(path)


def without_its_log(path: Path) -> None:
    """As somebody does who takes it for a leftover."""
    path.with_name(f"{path.name}-wal").unlink()
    path.with_name(f"{path.name}-shm").unlink()


def run_and(lose: Callable[[], None], folder: Path, *options: str) -> str:
    """What a run says whose database is lost when it has begun."""
    (folder / "slow.py").write_text(SCRAPER)
    running = subprocess.Popen(
        [sys.executable, "-m", "swather.cli", "run", "slow.py", *map(str, range(500)), *options],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    begun = folder / "begun"
    try:
        wait_until(lambda: begun.exists() and begun.stat().st_size > 3, 40)
        lose()
        said, _ = running.communicate(timeout=50)
    finally:
        running.kill()
    assert running.returncode == 3, said
    return said


@pytest.mark.parametrize("lose", [deleted, moved, replaced, without_its_log])
def test_a_run_whose_database_is_gone_ends_and_says_so(tmp_path: Path, lose):
    said = run_and(lambda: lose(tmp_path / "swather.db"), tmp_path)
    assert "was deleted, moved or replaced while" in said
    assert len(said.splitlines()) < 40, said
    assert "Traceback" not in said
    if lose is deleted:
        assert not (tmp_path / "swather.db").exists()


def test_a_run_whose_tables_are_changed_under_its_workers_ends(tmp_path: Path):
    """The run itself, which only reads, would not notice."""

    def change() -> None:
        with closing(apsw.Connection(str(tmp_path / "swather.db"))) as database:
            database.set_busy_timeout(10_000)
            database.execute("ALTER TABLE outcomes RENAME COLUMN at TO another")

    assert "tables of another release" in run_and(change, tmp_path)


def test_a_run_whose_server_takes_no_more_writes_ends(
    tmp_path: Path, postgres_server: PostgresServer
):
    with postgres_server.fresh_database() as url:
        swather.store.prepare(url)
        name = urlsplit(url).path.removeprefix("/")

        def refuse() -> None:
            with psycopg.connect(postgres_server.url(), autocommit=True) as server:
                server.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
                server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                    [name],
                )

        assert "accepts no writes" in run_and(refuse, tmp_path, "--db", url)
