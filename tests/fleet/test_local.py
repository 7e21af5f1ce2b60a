"""The local fleet starts processes, replaces those that crash, and leaves none behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swather.errors import InputError
from swather.fleet import member
from swather.fleet.local import LocalFleet

ROOT = Path(__file__).parents[2]

WORKER = """
import os, select, signal, sys
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
signal.signal(signal.SIGTERM, lambda *_: open(f"{sys.argv[1]}/asked-{os.getpid()}", "w").close())
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


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member, "_FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(member, "_AWAY_PAUSE_SECONDS", 0.001)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., LocalFleet]]:
    made: list[LocalFleet] = []

    def fleet(program: str, count: int = 1, **options) -> LocalFleet:
        def command(number: int) -> list[str]:
            return [sys.executable, "-S", "-c", program, str(tmp_path), str(number)]

        made.append(LocalFleet(command, count, stagger_seconds=0.001, **options))
        return made[-1]

    yield fleet
    for one in made:
        one.close()


def test_every_worker_is_started_with_its_own_command(make, tmp_path: Path):
    fleet = make("import sys; open(f'{sys.argv[1]}/{sys.argv[2]}', 'w')", 3)
    fleet.start()
    assert fleet.wait(20)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2"]
    assert [ended.code for ended in fleet.exits] == [0, 0, 0]
    assert not any(ended.is_crash for ended in fleet.exits)


def test_starts_are_staggered(make, tmp_path: Path):
    fleet = make(WORKER, 2)
    fleet._stagger_seconds = 30.0
    fleet.start()
    until(lambda: pids(tmp_path, "started"))
    assert len(fleet.pids) == 1
    fleet.stop()
    assert fleet.wait(20)
    assert len(fleet.exits) == 1


def test_a_worker_that_was_killed_is_replaced(make, tmp_path: Path):
    told = []
    fleet = make(WORKER, 2, on_exit=told.append)
    fleet.start()
    until(lambda: len(pids(tmp_path, "started")) == 2)
    victim = fleet.pids[0]
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(pids(tmp_path, "started")) == 3)
    assert [(ended.pid, ended.code) for ended in told] == [(victim, -9)]
    assert str(told[0]) == f"worker 0 (process {victim}) was killed by SIGKILL"
    fleet.stop()
    assert fleet.wait(20)


@pytest.mark.slow
def test_a_worker_that_crashes_again_and_again_is_given_up(make):
    fleet = make("raise SystemExit(1)")
    fleet.start()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [1] * 6


@pytest.mark.slow
def test_crashes_are_forgiven_while_work_gets_done(make, tmp_path: Path):
    program = """
import os, sys
open(f"{sys.argv[1]}/{os.getpid()}", "w").close()
raise SystemExit(1 if len(os.listdir(sys.argv[1])) < 20 else 0)
"""
    fleet = make(program, on_exit=lambda _: fleet.forgive())
    fleet.start()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [1] * 19 + [0]


@pytest.mark.parametrize("code", [0, 2, 130])
def test_an_end_that_is_no_crash_is_final(make, code):
    fleet = make(f"raise SystemExit({code})")
    fleet.start()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [code]
    assert not any(ended.is_crash for ended in fleet.exits)


@pytest.mark.slow
@pytest.mark.parametrize("code", [75, 3], ids=["asked for", "database away"])
def test_some_ends_are_followed_by_a_new_start_as_often_as_it_takes(make, tmp_path: Path, code):
    program = f"""
import os, sys
open(f"{{sys.argv[1]}}/{{os.getpid()}}", "w").close()
raise SystemExit({code} if len(os.listdir(sys.argv[1])) < 8 else 0)
"""
    fleet = make(program)
    fleet.start()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [code] * 7 + [0]


def test_a_worker_whose_database_is_unusable_is_not_started_anew(make):
    program = """
import os
os.write(int(os.environ["SWATHER_FAREWELL_FD"]), b"begun unusable ended ")
raise SystemExit(3)
"""
    fleet = make(program)
    fleet.start()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [3]


def test_stopping_asks_once_and_starts_nobody_anew(make, tmp_path: Path):
    fleet = make(WORKER, 2)
    fleet.start()
    until(lambda: len(pids(tmp_path, "started")) == 2)
    fleet.stop()
    assert fleet.wait(20)
    assert pids(tmp_path, "drained") == pids(tmp_path, "started")
    assert [ended.code for ended in fleet.exits] == [0, 0]


def test_a_worker_that_ignores_the_grace_time_is_killed(make, tmp_path: Path):
    fleet = make(STUBBORN, grace_seconds=0.2)
    fleet.start()
    until(lambda: pids(tmp_path, "started"))
    fleet.stop()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [-9]


def test_a_second_stop_asks_again_and_then_kills(make, tmp_path: Path):
    fleet = make(STUBBORN, grace_seconds=60, kill_seconds=0.2)
    fleet.start()
    until(lambda: pids(tmp_path, "started"))
    fleet.stop()
    assert not fleet.wait(0.1)
    fleet.stop()
    assert fleet.wait(20)
    assert [ended.code for ended in fleet.exits] == [-9]


def test_signals_of_this_process_are_passed_on(make, tmp_path: Path):
    counted = []
    before = signal.getsignal(signal.SIGINT)
    fleet = make(STUBBORN, grace_seconds=60, kill_seconds=60)
    with fleet.passing_signals(counted.append):
        fleet.start()
        until(lambda: pids(tmp_path, "started"))
        os.kill(os.getpid(), signal.SIGINT)
        until(lambda: pids(tmp_path, "asked"))
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert fleet.wait(20)
    assert counted == [1, 2, 3]
    assert signal.getsignal(signal.SIGINT) is before


def test_workers_are_not_in_the_group_that_a_terminal_interrupts(make, tmp_path: Path):
    fleet = make(WORKER)
    fleet.start()
    until(lambda: pids(tmp_path, "started"))
    (pid,) = fleet.pids
    assert os.getpgid(pid) == pid


def test_closing_leaves_nobody_behind(make, tmp_path: Path):
    fleet = make(STUBBORN, 2)
    fleet.start()
    until(lambda: len(pids(tmp_path, "started")) == 2)
    running = fleet.pids
    fleet.close()
    assert all(is_gone(pid) for pid in running)


def test_workers_learn_that_their_parent_was_killed(tmp_path: Path):
    program = f"""
import sys
from swather.fleet.local import LocalFleet
LocalFleet(lambda n: [sys.executable, "-S", "-c", {WORKER!r}, {str(tmp_path)!r}, str(n)], 2).start()
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


def test_each_worker_has_its_log(make, tmp_path: Path):
    program = "import sys; print('out', sys.argv[2]); print('err', file=sys.stderr)"
    fleet = make(program, 2, log_folder=tmp_path / "logs")
    fleet.start()
    assert fleet.wait(20)
    for number in range(2):
        text = (tmp_path / "logs" / f"worker-{number}.log").read_text()
        assert sorted(text.split("\n")) == ["", "err", f"out {number}"]
    assert {ended.log for ended in fleet.exits} == set((tmp_path / "logs").iterdir())


def test_the_environment_is_handed_on(make, tmp_path: Path):
    program = "import os, sys; raise SystemExit(0 if os.environ['MILL'] == 'on' else 2)"
    fleet = make(program, environment={"MILL": "on"})
    fleet.start()
    assert fleet.wait(20)
    assert fleet.exits[0].code == 0


def test_a_command_that_cannot_be_started_ends_the_fleet(caplog):
    fleet = LocalFleet(lambda _: ["/nowhere/at/all"], 2)
    fleet.start()
    assert fleet.wait(20)
    fleet.close()
    assert "cannot be started" in caplog.text


def test_a_fleet_has_at_least_one_worker():
    with pytest.raises(InputError, match="at least one"):
        LocalFleet(lambda _: ["true"], 0)
