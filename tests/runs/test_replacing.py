import os
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
