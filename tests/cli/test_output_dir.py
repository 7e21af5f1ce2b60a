"""--output-dir: where files go, for the command and for every worker after it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import write

SAVING = """
from swather import scraper


@scraper(files_folder="own")
def saving(ctx, target):
    ctx.save(target.encode(), name=f"{target}/a.txt")
    return {"target": target}
"""


@pytest.mark.slow
def test_a_run_keeps_its_folder_for_late_workers(
    started: Swather, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(SAVING)
    done(started, "run", "scrapers.py", "x", "--output-dir", "out")
    assert Path("out/x/a.txt").read_bytes() == b"x"
    done(started, "run", "scrapers.py", "y")
    assert Path("own/y/a.txt").read_bytes() == b"y"
    done(started, "enqueue", "scrapers.py", "z", "--output-dir", "later")
    monkeypatch.setenv("SWATHER_FILES_FOLDER", "set")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    database = f"sqlite:///{tmp_path}/swather.db"
    code = str(tmp_path / "scrapers.py")
    done(lambda *words: started(*words, cwd=elsewhere), "worker", code, "--db", database)
    assert Path("later/z/a.txt").read_bytes() == b"z"
    assert list(elsewhere.iterdir()) == []


def test_try_keeps_files_only_in_a_folder_that_is_named(swather: Swather):
    write(SAVING)
    done(swather, "try", "scrapers.py", "x")
    assert not Path("own").exists()
    done(swather, "try", "scrapers.py", "x", "--output-dir", "out")
    assert Path("out/x/a.txt").read_bytes() == b"x"


@pytest.mark.parametrize("command", ["run", "enqueue", "try"])
def test_a_folder_that_cannot_be_made_is_one_line_and_no_run(swather: Swather, command: str):
    write(SAVING)
    Path("taken").write_text("a file")
    said = swather(command, "scrapers.py", "x", "--output-dir", "taken/out")
    assert (said.code, said.out) == (2, "")
    assert "taken/out: Not a directory" in said.err
    assert not Path("swather.db").exists()


TABLES = """
files_folder = "general"

[scrapers.saving]
path = "scrapers.py"
files_folder = "of-its-table"

[scrapers.other]
path = "scrapers.py:saving"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "folders"),
    [("", ("of-its-table", "general")), ("from-environment", ("from-environment",) * 2)],
    ids=["files", "environment"],
)
def test_a_worker_of_many_scrapers_keeps_the_folder_of_each(
    swather: Swather,
    started: Swather,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    folders: tuple[str, str],
):
    write(SAVING)
    Path("swather.toml").write_text(TABLES)
    done(swather, "enqueue", "saving", "x")
    done(swather, "enqueue", "other", "y")
    monkeypatch.setenv("SWATHER_FILES_FOLDER", variable)
    done(started, "worker")
    assert Path(folders[0], "x/a.txt").read_bytes() == b"x"
    assert Path(folders[1], "y/a.txt").read_bytes() == b"y"
