"""A fleet that is scaled, restarted onto new code and plagued by a worker that crashes again and
again, and whose supervisor is killed: every target once, but for what was killed.
"""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from faults.scenes.place import Place
from swather.model.supervisor import SupervisorRow
from swather.runs.export import export

LEASE_SECONDS: Final = 5.0
TARGET_SECONDS: Final = 0.3
SLOTS: Final = 4
OBEYED_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 120.0
CRASHES: Final = 6


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    urls = str(place.urls(targets))
    run = place.enqueue("--targets", urls, "-p", f"seconds={TARGET_SECONDS}")["run"]
    scene = Scene(place, run)
    try:
        scene.up()
        scene.scale()
        scene.restart()
        before_kills = len(scene.executed_again())
        if before_kills:
            scene.wrong.append(f"scaling and restarting ran {before_kills} targets again")
        scene.crash_loop()
        scene.kill_supervisor()
        scene.up()
        place.wait_for(run, lambda counts: not counts.unfinished, 1_200.0)
    finally:
        scene.down()
    return [*scene.wrong, *_wrong_end(place, run, targets, scene.killed)]


class Scene:
    """A fleet, and what went wrong. `killed`: how many targets the killed may have had; `crashed`:
    when worker 1 was killed, by process id.
    """

    def __init__(self, place: Place, run: str, *code: str, workers: int = 2) -> None:
        self._place = place
        self._run = run
        self._code = code
        self._count = workers
        self.crashed: dict[int, float] = {}
        self.wrong: list[str] = []
        self.killed = 0

    def up(self) -> None:
        options = ("--workers", str(self._count), "--concurrency", str(SLOTS), "--name", "scene")
        lease = ("--lease-seconds", str(LEASE_SECONDS))
        self._place.call("fleet", "fleet", "up", *self._code, *options, *lease, "--detach", "--yes")
        self._until(lambda: self._states() == ["running"] * self._count, "the workers to run")

    def down(self) -> None:
        self._place.call("fleet", "fleet", "down", "--all")

    def scale(self) -> None:
        """By the setting, as a person at another machine would."""
        for wanted in (8, 3):
            self._place.call("elsewhere", "settings", "set", "max_workers", str(wanted))
            seconds = self._until(
                lambda wanted=wanted: self._states().count("running") == wanted,
                f"{wanted} workers to run",
            )
            print(f"max_workers {wanted}: obeyed after {seconds:.1f} s")
            if seconds > OBEYED_SECONDS:
                self.wrong.append(f"{wanted} workers were there only after {seconds:.1f} s")
            if wanted == 8:
                self._some_work()
        self._until(lambda: len(self._states()) == 3, "the others to end")
        self._some_work()

    def restart(self) -> None:
        before = self._places()
        self._place.change_code()
        self._place.call("elsewhere", "fleet", "restart")
        seconds = self._until(
            lambda: not set(before) & set(self._places()) and len(self._places()) == 3,
            "all workers to be restarted",
        )
        print(f"restarted onto new code one by one: {seconds:.1f} s")
        self._some_work()

    def crash_loop(self) -> None:
        """Worker 1 dies as soon as it has begun to work."""
        for number in range(CRASHES):
            self._until(lambda: self._worker(1).get("where"), "worker 1 to be started again")
            where = self._worker(1)["where"]
            self._some_work()
            pid = int(where.split()[1])
            os.kill(pid, signal.SIGKILL)
            self.crashed[pid] = time.monotonic()
            self.killed += 2 * SLOTS
            self._until(lambda where=where: self._worker(1).get("where") != where, "its end")
            print(f"crash {number + 1}: {self._worker(1)['state']}")
        if self._worker(1)["state"] != "crashed too often":
            self.wrong.append(f"a worker that crashed {CRASHES} times is {self._worker(1)}")
        self._some_work()

    def kill_supervisor(self) -> None:
        pids = [int(where.split()[1]) for where in self._places()]
        row = self._row()
        os.kill(row.process.pid, signal.SIGKILL)
        seconds = self._until(
            lambda: not any(_runs(pid) for pid in pids), "the workers to stop by themselves"
        )
        counts = self._place.store.runs.counts(self._run)
        print(f"the supervisor was killed: its workers stopped after {seconds:.1f} s")
        if counts.leased:
            self.wrong.append(f"{counts.leased} targets were left leased by a dead supervisor")

    def executed_again(self) -> list[str]:
        with (self._place.folder / "executed").open() as lines:
            executed = Counter(line.split()[0] for line in lines)
        return [url for url, times in executed.items() if times > 1]

    def _some_work(self) -> None:
        done = self._place.store.runs.counts(self._run).completed
        self._place.wait_for(
            self._run, lambda counts: counts.completed > done + 20, PATIENCE_SECONDS
        )

    def _row(self) -> SupervisorRow:
        return self._place.store.supervisors.find(live=False)[0]

    def _workers(self) -> list[dict[str, Any]]:
        return list(self._row().said.get("workers", []))

    def _worker(self, number: int) -> dict[str, Any]:
        return next((each for each in self._workers() if each["number"] == number), {})

    def _states(self) -> list[str]:
        return [worker["state"] for worker in self._workers()]

    def _places(self) -> list[str]:
        return [worker["where"] for worker in self._workers() if worker["where"]]

    def _until(self, condition: Callable[[], object], what: str) -> float:
        """How many seconds it took."""
        began = time.monotonic()
        while not condition():
            if time.monotonic() > began + PATIENCE_SECONDS:
                raise RuntimeError(f"waited in vain for {what}: {self._workers()}")
            time.sleep(0.05)
        return time.monotonic() - began


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wrong_end(place: Place, run: str, targets: int, killed: int) -> list[str]:
    counts = place.store.runs.counts(run)
    path = place.folder / "results.jsonl"
    export(place.store, run, path)
    with path.open() as lines:
        items = Counter(json.loads(line)["url"] for line in lines)
    with (place.folder / "executed").open() as lines:
        executed = Counter(line.split()[0] for line in lines)
    again = sum(executed.values()) - len(executed)
    print(
        f"{counts.completed:,} completed, {sum(items.values()):,} results of {len(items):,} "
        f"targets; {again:,} run again, and the killed may have had {killed:,}"
    )
    wrong = place.store.upkeep.check()
    if (counts.completed, counts.failed) != (targets, 0):
        wrong.append(f"counts: {counts}")
    if len(items) != targets or sum(items.values()) != targets:
        wrong.append(f"{sum(items.values()):,} results of {len(items):,} targets")
    if again > killed:
        wrong.append(f"{again:,} were run again, and only {killed:,} can have been killed")
    return wrong
