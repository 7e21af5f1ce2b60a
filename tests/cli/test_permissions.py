"""What Swather writes is for its owner alone, unless it is told otherwise."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import write

SAVING = """
from swather import scraper


@scraper
async def saving(ctx, target):
    await ctx.save(b"content", name="a.txt")
    return {"target": target}
"""


@pytest.fixture(autouse=True)
def a_usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes() -> dict[str, int]:
    return {
        str(path): stat.S_IMODE(path.lstat().st_mode)
        for path in Path().rglob("*")
        if not path.is_symlink() and path.suffix != ".py" and "__pycache__" not in path.parts
    }


def campaign(swather: Swather, url: str) -> dict[str, int]:
    write(SAVING)
    done(swather, "db", "init", "--db", url)
    done(swather, "run", "scrapers.py", "1", "2", "--db", url)
    done(swather, "export", "saving", "-o", "x.csv", "--db", url)
    done(swather, "export", "saving", "-o", "x.parquet", "--db", url)
    done(swather, "db", "backup", "copy.db", "--db", url)
    found = modes()
    expected = {"x.csv", "x.parquet", "copy.db", "saving.jsonl", "saving.jsonl.position", "files",
                "files/a.txt", ".swather/logs"}  # fmt: skip
    assert expected <= found.keys()
    assert any(name.endswith(".log") for name in found)
    return found


@pytest.mark.slow
def test_everything_is_for_its_owner_alone(swather: Swather, url: str):
    found = campaign(swather, url)
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


@pytest.mark.slow
def test_others_are_let_in_as_far_as_the_umask_lets_them(
    swather: Swather, url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SWATHER_FILE_MODE", "664")
    os.umask(0o027)
    for name, mode in campaign(swather, url).items():
        assert oct(mode) == oct(0o750 if Path(name).is_dir() else 0o640), name


@pytest.mark.parametrize("mode", ["777", "044", "6000", "rw", "-1"])
def test_a_mode_that_is_none_is_refused(
    swather: Swather, monkeypatch: pytest.MonkeyPatch, mode: str
):
    monkeypatch.setenv("SWATHER_FILE_MODE", mode)
    said = swather("db", "init")
    assert said.code == 2
    assert f"got {mode!r}" in said.err


@pytest.mark.slow
def test_an_export_keeps_the_permissions_of_the_file_it_replaces(swather: Swather, database: str):
    write(SAVING)
    done(swather, "run", "scrapers.py", "1", "-o", "x.csv", "--db", database)
    Path("x.csv").chmod(0o644)
    done(swather, "export", "saving", "-o", "x.csv", "--db", database)
    assert modes()["x.csv"] == 0o644
