import os
import subprocess
from pathlib import Path

from swather.runs.replacing import replacing


def test_what_a_killed_process_left_behind_is_removed(tmp_path: Path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    mine = tmp_path / f".x[1].csv.{os.getppid()}.tmp"
    for left in (tmp_path / f".x[1].csv.{gone.pid}.tmp", mine, tmp_path / ".x[1].csv.notes.tmp"):
        left.write_text("half")
    with replacing(tmp_path / "x[1].csv") as stream:
        stream.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [mine.name, ".x[1].csv.notes.tmp", "x[1].csv"]
    )
