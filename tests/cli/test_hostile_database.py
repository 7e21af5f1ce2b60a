"""What a database says is not obeyed where it would harm the machine that reads it."""

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write

SAVING = """
from swather import scraper


@scraper
def saving(ctx, target):
    ctx.save(b"content", name="a.txt")
    return {"target": target}
"""
DATABASE = "sqlite:///swather.db"


def say(sql: str, *values: str) -> None:
    """Write to the database behind Swather's back."""
    with sqlite3.connect("swather.db") as db:
        assert db.execute(sql, values).rowcount > 0
    db.close()


@pytest.mark.slow
def test_files_stay_in_the_folder_of_this_machine(started: Swather, tmp_path: Path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    write(SAVING)
    done(started, "db", "init", "--db", DATABASE)
    for name in ("files_folder", "output_dir", "logs_folder"):
        say("INSERT INTO settings VALUES (?, ?)", name, f'"{outside}/{name}"')
    said = done(started, "run", "scrapers.py", "x", "--db", DATABASE)
    assert "files_folder in the settings row of the database is ignored" in said.err
    assert "logs_folder in the settings row of the database is ignored" in said.err
    assert Path("files/a.txt").read_bytes() == b"content"
    assert Path(".swather/logs").is_dir()
    assert not outside.exists()


@pytest.mark.slow
def test_a_run_whose_name_leads_elsewhere_makes_no_folder(started: Swather, tmp_path: Path):
    write(NUMBERS)
    done(started, "enqueue", "scrapers.py", "1", "--db", DATABASE)
    name = f"../../../{tmp_path.name}-outside"
    say("UPDATE runs SET name = ?", name)
    resumed = started("run", "scrapers.py", "--resume", name, "--db", DATABASE)
    again = started("run", "scrapers.py", "1", "--db", DATABASE)
    for said in (resumed, again):
        assert said.code == 2
        assert f"{name!r} cannot be used as a file name" in said.err
        assert "Traceback" not in said.err
    assert not list(tmp_path.parent.glob("*-outside"))
    assert not Path(".swather").exists()


def test_folders_are_not_set_in_the_database(swather: Swather):
    done(swather, "db", "init")
    said = swather("settings", "set", "logs_folder", "/var/log")
    assert (said.code, said.out) == (2, "")
    assert "logs_folder cannot be set in the database" in said.err
    said = swather("settings", "set", "output_dir", "../x")
    assert (said.code, said.out) == (2, "")
    assert "must be a relative path" in said.err
    assert swather("settings", "get", "files_folder").out == "files\n"
    done(swather, "settings", "set", "output_dir", "./subtitles")
    assert swather("settings", "get", "output_dir").out == "files/subtitles\n"


def test_a_folder_of_an_older_release_can_be_taken_out_of_the_row(swather: Swather):
    done(swather, "db", "init")
    say("INSERT INTO settings VALUES ('logs_folder', '\"/var/log\"')")
    assert done(swather, "settings", "unset", "logs_folder").out == "logs_folder is no longer set\n"
