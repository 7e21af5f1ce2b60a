"""Worker processes of this machine: how their ends are read, and that none is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swather.fleet.local_placement import LocalPlacement
from swather.fleet.placement import End, WorkerEnded
from swather.fleet.seat import RestartPolicy
from swather.fleet.supervisor import Happened, Policy
from swather.fleet.supervisor_thread import SupervisorThread

ROOT = Path(__file__).parents[2]

WORKER = """
import os, signal, sys
folder, number = sys.argv[1], sys.argv[2]

def note(what):
    open(f"{folder}/{what}-{os.getpid()}", "w").close()

def drain(*_):
    note("drained")
    os._exit(0)

signal.signal(signal.SIGTERM, drain)
note("started")
os.read(int(os.environ["SWATHER_PARENT_FD"]), 1)
note("orphaned")
"""
STUBBORN = """
import os, signal, sys
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda n, _: open(f"{sys.argv[1]}/{n}-{os.getpid()}", "w").close())
open(f"{sys.argv[1]}/started-{os.getpid()}", "w").close()
while True:
    signal.pause()
"""


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


def pids(folder: Path, what: str) -> set[int]:
    return {int(path.name.partition("-")[2]) for path in folder.glob(f"{what}-*")}


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., LocalPlacement]]:
    made: list[LocalPlacement] = []

    def placement(program: str, **options) -> LocalPlacement:
        def command(number: int) -> list[str]:
            return [sys.executable, "-S", "-c", program, str(tmp_path), str(number)]

        made.append(LocalPlacement(command, **options))
        return made[-1]

    yield placement
    for one in made:
        one.close()


def end_of(placement: LocalPlacement, count: int = 1) -> list[WorkerEnded]:
    ended: list[WorkerEnded] = []

    def all_ended() -> bool:
        ended.extend(placement.ended())
        return len(ended) >= count

    until(all_ended)
    return sorted(ended)


def told(what: str, code: int) -> str:
    """A program that tells this on its farewell pipe, and ends."""
    return (
        f"import os; os.write(int(os.environ['SWATHER_FAREWELL_FD']), {what.encode()!r})\n"
        f"raise SystemExit({code})"
    )


ENDS = {
    "nothing left": (told("begun ended ", 0), End.DONE, 0, "has finished"),
    "stopped": (told("begun ended ", 130), End.STOPPED, 0, "has stopped"),
    "asks for another": (told("begun ended ", 75), End.REPLACE, 0, "asks to be replaced"),
    "wrong input": ("raise SystemExit(2)", End.REFUSED, 2, "exited with 2"),
    "database away": (told("begun ended ", 3), End.AWAY, 3, "exited with 3"),
    "database unusable": (told("begun unusable ended ", 3), End.REFUSED, 3, "exited with 3"),
    "stuck": (told("begun ended ", 70), End.CRASHED, 1, "was stuck"),
    "an error": ("raise SystemExit(1)", End.CRASHED, 1, "exited with 1"),
    "left by a scraper": (told("begun ", 0), End.CRASHED, 1, "in the middle of its work"),
}


@pytest.mark.parametrize("name", ENDS)
def test_how_a_process_ended_is_read_from_its_code_and_what_it_told(make, name):
    program, end, code, words = ENDS[name]
    placement = make(program)
    placement.start(0)
    ((number, found, why, found_code),) = end_of(placement)
    assert (number, found, found_code) == (0, end, code)
    assert words in why
    assert placement.running() == {}
    assert placement.ended() == []


def test_one_that_was_killed_has_crashed(make, tmp_path: Path):
    placement = make(STUBBORN)
    placement.start(3)
    until(lambda: pids(tmp_path, "started"))
    pid = placement.pids()[3]
    assert placement.running() == {3: f"process {pid}"}
    placement.kill(3)
    (ended,) = end_of(placement)
    assert ended.why == f"worker 3 (process {pid}) was killed by SIGKILL"
    assert ended.end is End.CRASHED


def test_stop_signals_once_and_now_with_a_second_signal_of_another_kind(make, tmp_path: Path):
    placement = make(STUBBORN)
    placement.start(0)
    until(lambda: pids(tmp_path, "started"))
    placement.stop(0)
    until(lambda: pids(tmp_path, str(signal.SIGTERM.value)))
    assert not pids(tmp_path, str(signal.SIGINT.value))
    placement.stop(0, now=True)
    until(lambda: pids(tmp_path, str(signal.SIGINT.value)))
    placement.stop(7)
    placement.kill(7)


def test_workers_are_not_in_the_group_that_a_terminal_interrupts(make):
    placement = make(STUBBORN)
    placement.start(0)
    (pid,) = placement.pids().values()
    assert os.getpgid(pid) == pid


def test_closing_leaves_nobody_behind(make, tmp_path: Path):
    placement = make(STUBBORN)
    for number in range(2):
        placement.start(number)
    until(lambda: len(pids(tmp_path, "started")) == 2)
    running = placement.pids().values()
    placement.close()
    assert all(is_gone(pid) for pid in running)


def test_each_worker_has_its_log_its_command_and_its_environment(make, tmp_path: Path):
    program = """
import os, sys
print('out', sys.argv[2], os.environ['MILL'])
print('err', file=sys.stderr)
"""
    placement = make(program, log_folder=tmp_path / "logs", environment={"MILL": "on"})
    for number in range(2):
        placement.start(number)
    end_of(placement, 2)
    for number in range(2):
        text = (tmp_path / "logs" / f"worker-{number}.log").read_text()
        assert sorted(text.split("\n")) == ["", "err", f"out {number} on"]


def test_a_command_that_cannot_be_started_has_ended():
    placement = LocalPlacement(lambda _: ["/nowhere/at/all"])
    placement.start(0)
    (ended,) = placement.ended()
    assert (ended.number, ended.end) == (0, End.REFUSED)
    assert "cannot be started" in ended.why
    placement.close()


def test_signals_of_this_process_stop_the_workers(make, tmp_path: Path):
    noted: list[Happened] = []
    policy = Policy(restart=RestartPolicy(pause_seconds=0.001), grace_seconds=60, kill_seconds=60)
    before = signal.getsignal(signal.SIGINT)
    workers = SupervisorThread(make(STUBBORN), policy, 1, noted.append)
    with workers.passing_signals():
        workers.start()
        until(lambda: pids(tmp_path, "started"))
        os.kill(os.getpid(), signal.SIGINT)
        until(lambda: pids(tmp_path, str(signal.SIGTERM.value)))
        assert not workers.wait(0)
        os.kill(os.getpid(), signal.SIGTERM)
        until(lambda: pids(tmp_path, str(signal.SIGINT.value)))
        os.kill(os.getpid(), signal.SIGTERM)
        assert workers.wait(20)
    assert workers.signals == 3
    assert signal.getsignal(signal.SIGINT) is before
    assert "was killed by SIGKILL" in noted[-1].text
    workers.close()


def test_workers_learn_that_their_parent_was_killed(tmp_path: Path):
    program = f"""
import sys
from swather.fleet.local_placement import LocalPlacement
command = [sys.executable, "-S", "-c", {WORKER!r}, {str(tmp_path)!r}]
placement = LocalPlacement(lambda number: [*command, str(number)])
for number in range(2):
    placement.start(number)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, cwd=ROOT
    ) as parent:
        until(lambda: len(pids(tmp_path, "started")) == 2)
        parent.kill()
        parent.wait(10)
    until(lambda: pids(tmp_path, "orphaned") == pids(tmp_path, "started"))
    until(lambda: all(is_gone(pid) for pid in pids(tmp_path, "started")))
