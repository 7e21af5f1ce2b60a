"""A SQLite file that is taken away under a run: said once, with exit code 3."""

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

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


@pytest.mark.parametrize("lose", [deleted, moved, replaced, without_its_log])
def test_a_run_whose_database_is_gone_ends_and_says_so(tmp_path: Path, lose):
    (tmp_path / "slow.py").write_text(SCRAPER)
    running = subprocess.Popen(
        [sys.executable, "-m", "swather.cli", "run", "slow.py", *map(str, range(500))],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    begun = tmp_path / "begun"
    wait_until(lambda: begun.exists() and begun.stat().st_size > 3, 40)
    lose(tmp_path / "swather.db")
    said, _ = running.communicate(timeout=50)
    assert running.returncode == 3, said
    assert "was deleted, moved or replaced while" in said
    assert len(said.splitlines()) < 40, said
    assert "Traceback" not in said
    if lose is deleted:
        assert not (tmp_path / "swather.db").exists()
