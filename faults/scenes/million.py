"""A million URLs, enqueued from a file and drained: memory stays flat, and the rate of the first
hundred thousand holds to the last.

Others use the machine, too, and how fast anything goes depends on them. So each step is followed by
a small drain in a fresh database, with workers of the same kind: what a target of the million costs
is told in what a target of that one costs, a moment later.
"""

import os
import threading
import time
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import psycopg

from bench.processes import PARENT, SYSTEM, TICKS, USER, family, memory_mb
from faults.scenes.place import Place
from swather.model.run import NewRun
from swather.model.task import Target
from swather.model.task_filter import TaskFilter

STEPS: Final = 10
WORKERS: Final = 2
SLOTS: Final = 100
SMALL: Final = 20_000
DRAIN_SECONDS: Final = 3_600.0
# How much more the last steps may cost than the first, and how much a worker may grow.
SLOWER: Final = 1.2
GROWTH_MB: Final = 15.0
MOST_MB: Final = 150.0


class Spent(NamedTuple):
    """For how many targets, in how many seconds, with how much processor time of workers and of
    their connections.
    """

    targets: int
    seconds: float
    cpu_seconds: float

    @property
    def each(self) -> float:
        """Microseconds of processor time."""
        return self.cpu_seconds / max(self.targets, 1) * 1e6

    @property
    def rate(self) -> float:
        return self.targets / self.seconds


class Step(NamedTuple):
    spent: Spent
    beside: Spent
    worker_mb: float


def hold(place: Place, targets: int, beside: Place) -> list[str]:
    """What did not hold."""
    urls = str(place.urls(targets))
    peak = Peak()
    began = time.monotonic()
    peak.start()
    answer = place.enqueue("--targets", urls)
    seconds = time.monotonic() - began
    loaded_mb = peak.stop()
    print(
        f"enqueued {answer['enqueued']:,} in {seconds:.0f} s, {targets / seconds:,.0f}/s; "
        f"the process had {loaded_mb:.0f} MB at most"
    )
    run = answer["run"]
    place.store.runs.pause(run)
    fleets = Fleet(place), Fleet(beside)
    try:
        steps = [_step(*fleets, run, targets * number // STEPS) for number in range(1, STEPS + 1)]
    finally:
        for fleet in fleets:
            fleet.kill()
    wrong = [] if answer["enqueued"] == targets else [f"enqueued {answer['enqueued']:,}"]
    return [*wrong, *_wrong(place, run, targets, steps, loaded_mb)]


class Fleet:
    """Some workers of a database, for all its runs."""

    def __init__(self, place: Place) -> None:
        self.place = place
        options = ("--forever", "--concurrency", str(SLOTS), "--log-level", "error")
        self._workers = [place.worker(f"machine-{n}", *options) for n in range(WORKERS)]
        self._title = f"postgres: postgres {urlsplit(place.url).path[1:]} ".encode()
        with psycopg.connect(place.url) as connection:
            self._server = int(_fields(connection.info.backend_pid)[PARENT])

    @property
    def memory_mb(self) -> float:
        """Of the largest."""
        return max(memory_mb(worker.pid) for worker in self._workers)

    @property
    def cpu_seconds(self) -> float:
        connections = [
            pid for pid in family(self._server)[1:] if _command(pid).startswith(self._title)
        ]
        return sum(map(_cpu_seconds, [*connections, *(worker.pid for worker in self._workers)]))

    def drain(self, run: str, until: int) -> Spent:
        """Until so many of a run have completed; then nothing of it is in progress."""
        store = self.place.store
        before = store.runs.counts(run).completed
        store.runs.unpause(run)
        self.place.wait_for(run, lambda counts: counts.completed > before, DRAIN_SECONDS)
        began, spent = time.monotonic(), self.cpu_seconds
        before = store.runs.counts(run).completed
        self.place.wait_for(run, lambda counts: counts.completed >= until, DRAIN_SECONDS)
        after, seconds = store.runs.counts(run).completed, time.monotonic() - began
        spent = self.cpu_seconds - spent
        store.runs.pause(run)
        self.place.wait_for(run, lambda counts: not counts.leased, DRAIN_SECONDS)
        return Spent(after - before, seconds, spent)

    def kill(self) -> None:
        for worker in self._workers:
            worker.kill()
            worker.wait()


def _step(fleet: Fleet, beside: Fleet, run: str, until: int) -> Step:
    spent = fleet.drain(run, until)
    store = beside.place.store
    small = store.runs.create(NewRun(scraper="shelf", version="1")).name
    store.runs.pause(small)
    store.tasks.enqueue(small, (Target(value=f"https://a.example/{n}") for n in range(SMALL)))
    step = Step(spent, beside.drain(small, SMALL * 9 // 10), fleet.memory_mb)
    # Gone, so that the next one finds the database as small.
    store.tasks.cancel(TaskFilter(run=small))
    store.runs.cancel(small)
    store.runs.remove(small)
    print(
        f"{until:>9,}: {spent.rate:6,.0f}/s, {spent.each:.0f} µs each; small: "
        f"{step.beside.rate:6,.0f}/s, {step.beside.each:.0f} µs each; "
        f"worker {step.worker_mb:.0f} MB",
        flush=True,
    )
    return step


def _wrong(place: Place, run: str, targets: int, steps: list[Step], loaded_mb: float) -> list[str]:
    place.store.runs.unpause(run)
    counts = place.store.runs.counts(run)
    wrong = place.store.upkeep.check()
    if (counts.completed, counts.items, counts.total) != (targets, targets, targets):
        wrong.append(f"counts: {counts}")
    costs = [step.spent.each / step.beside.each for step in steps]
    paces = [step.beside.rate / step.spent.rate for step in steps]
    cost, pace = (median(found[-3:]) / median(found[:3]) for found in (costs, paces))
    print(
        f"beside the small drains, the last three steps cost {cost:.2f} x the processor time of "
        f"the first three, and took {pace:.2f} x as long"
    )
    if cost > SLOWER:
        wrong.append(f"the last steps cost {cost:.2f} times what the first did")
    grown = steps[-1].worker_mb - steps[0].worker_mb
    if grown > GROWTH_MB or steps[-1].worker_mb > MOST_MB or loaded_mb > MOST_MB:
        wrong.append(f"workers grew by {grown:.0f} MB to {steps[-1].worker_mb:.0f} MB")
    return wrong


def _cpu_seconds(pid: int) -> float:
    try:
        fields = _fields(pid)
    except OSError:
        return 0.0
    return (int(fields[USER]) + int(fields[SYSTEM])) / TICKS


def _fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


class Peak(threading.Thread):
    """The most memory that a child of this process has, looked at while it lives."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._over = threading.Event()
        self._most = 0.0

    def run(self) -> None:
        while not self._over.wait(0.1):
            for pid in family(os.getpid())[1:]:
                if b"enqueue" in _command(pid):
                    self._most = max(self._most, memory_mb(pid))

    def stop(self) -> float:
        self._over.set()
        self.join()
        return self._most


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
