import os
import subprocess
from pathlib import Path

import pytest

from swather.runs.replacing import replacing


def test_a_link_that_others_have_prepared_is_not_written_through(tmp_path: Path):
    precious = tmp_path / "precious"
    precious.write_text("dear")
    for name in (".a.json.tmp", f".a.json.{os.getpid()}.tmp"):
        (tmp_path / name).symlink_to(precious)
    with replacing(tmp_path / "a.json") as stream:
        stream.write(b"new")
    assert precious.read_text() == "dear"
    assert (tmp_path / "a.json").read_text() == "new"


def test_a_write_that_fails_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text("old")

    def write() -> None:
        with replacing(path) as stream:
            stream.write(b"half")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_behind_is_removed(tmp_path: Path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    mine = tmp_path / f".x[1].csv.{os.getppid()}-ab12.tmp"
    for left in (
        tmp_path / f".x[1].csv.{gone.pid}-ab12.tmp",
        mine,
        tmp_path / ".x[1].csv.notes.tmp",
    ):
        left.write_text("half")
    with replacing(tmp_path / "x[1].csv") as stream:
        stream.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [mine.name, ".x[1].csv.notes.tmp", "x[1].csv"]
    )
