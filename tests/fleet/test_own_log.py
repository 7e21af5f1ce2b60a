"""The log of a worker: its own stderr, which it renames when it is large."""

import subprocess
import sys
from pathlib import Path

from swather.fleet.own_log import numbered, rotate

PROGRAM = """
import logging, os, sys
from pathlib import Path
from swather.fleet.own_log import OwnLog

path, lines = Path(sys.argv[1]), int(sys.argv[2])
log = logging.getLogger()
log.addHandler(OwnLog(path, max_bytes=2_000, keep=100))
for number in range(lines):
    log.error("record %d of %d", number, os.getpid())
    print("printed", number, os.getpid(), flush=True)
    os.write(2, b"native %d %d\\n" % (number, os.getpid()))
"""
LINES = 60


def all_lines(path: Path) -> list[str]:
    files = [path, *(numbered(path, number) for number in range(1, 200))]
    return [line for file in files if file.exists() for line in file.read_text().splitlines()]


def test_two_processes_on_one_log_lose_no_line_and_keep_its_files_small(tmp_path: Path):
    """As when a supervisor was killed, and its workers end beside those of the next one."""
    path = tmp_path / "logs" / "worker-0.log"
    path.parent.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(path), str(LINES)]
    with path.open("ab") as log:
        processes = [subprocess.Popen(command, stdout=log, stderr=log) for _ in range(2)]
    assert [process.wait(30) for process in processes] == [0, 0]
    lines = all_lines(path)
    assert len(lines) == len(set(lines)) == 3 * LINES * 2
    assert numbered(path, 2).exists()
    assert max(file.stat().st_size for file in path.parent.iterdir()) < 4_000


def test_a_process_that_was_started_elsewhere_moves_only_its_stderr(tmp_path: Path):
    path = tmp_path / "logs" / "own.log"
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), "2"], capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in said.stdout.splitlines()] == ["printed"] * 2
    assert said.stderr == ""
    assert {line.split()[0] for line in all_lines(path)} == {"record", "native"}
    assert path.stat().st_mode & 0o077 == 0


def test_rotate_keeps_so_many(tmp_path: Path):
    path = tmp_path / "a.log"
    for text in "abcd":
        path.write_text(text)
        rotate(path, 2)
    kept = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert kept == {"a.log.1": "d", "a.log.2": "c"}
    path.write_text("e")
    rotate(path, 0)
    assert not path.exists()
