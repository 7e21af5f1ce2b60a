import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench import tally

ROOT = Path(__file__).parents[2]


def counting(folder: Path, program: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, tally.VARIABLE: str(folder)}
    return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=environment)


def test_jobs_of_all_processes_are_counted(tmp_path: Path):
    program = (
        "import pathlib, time; from bench import tally; tally.count(); tally.mark('began', '1')\n"
        f"while not pathlib.Path({str(tmp_path / 'go')!r}).exists(): time.sleep(0.01)\n"
        "for _ in range(999): tally.count()"
    )
    processes = [counting(tmp_path, program) for _ in range(2)]
    while len(tally.read_marks(tmp_path, "began")) < 2:
        time.sleep(0.01)
    (tmp_path / "go").touch()
    assert [process.wait() for process in processes] == [0, 0]
    assert tally.read_total(tmp_path) == 2_000
    assert tally.read_counts(tmp_path).jobs == 2_000


def test_what_was_written_before_a_kill_stays_written(tmp_path: Path):
    program = (
        "import time; from bench import tally; tally.count(); tally.mark('done', '7');"
        "time.sleep(60)"
    )
    process = counting(tmp_path, program)
    while not tally.read_marks(tmp_path, "done"):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert tally.read_marks(tmp_path, "done") == ["7"]
    assert tally.read_total(tmp_path) == 1


def test_jobs_that_end_ten_at_a_time_have_the_rate_of_whole_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    at = 5_000_000_000
    monkeypatch.setattr(tally.time, "monotonic_ns", lambda: at)
    held = tally.Tally(tmp_path)
    for _ in range(20):
        for _ in range(10):
            held.count()
        at += 200_000_000
    assert tally.read_counts(tmp_path).rate == pytest.approx(50.0, rel=0.01)
