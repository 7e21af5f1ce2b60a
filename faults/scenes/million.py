"""A million URLs, enqueued from a file and drained: memory stays flat, and the rate of the first
hundred thousand holds to the last.
"""

import os
import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

import psycopg

from bench.processes import PARENT, SYSTEM, TICKS, USER, family, memory_mb
from faults.scenes.place import Place

STEPS: Final = 10
WORKERS: Final = 2
SLOTS: Final = 100
DRAIN_SECONDS: Final = 3_600.0
# How much more processor time of workers and server the last step may take than the first: other
# work on the machine changes that less than how long it takes. And how much a worker may grow.
SLOWER: Final = 1.2
# In /proc, of children that have ended.
CHILDREN_TOO: Final = (13, 14)
# How the server titles the processes of a connection to a fresh database.
DATABASE: Final = b"postgres: postgres swather_test_"
GROWTH_MB: Final = 15.0
MOST_MB: Final = 150.0


class Step(NamedTuple):
    """Processor time: of the workers, of the connections that serve them, and of what else the
    server does: it vacuums, writes back and makes checkpoints.
    """

    done: int
    seconds: float
    worker_mb: float
    worker_cpu: float
    connection_cpu: float
    upkeep_cpu: float

    @property
    def cost(self) -> float:
        return self.worker_cpu + self.connection_cpu + self.upkeep_cpu


def hold(place: Place, targets: int) -> list[str]:
    """What did not hold."""
    urls = str(place.urls(targets))
    peak = Peak()
    began = time.monotonic()
    peak.start()
    answer = place.enqueue("--targets", urls)
    seconds = time.monotonic() - began
    loaded_mb = peak.stop()
    print(f"enqueued {answer['enqueued']:,} in {seconds:.0f} s, {targets / seconds:,.0f}/s; "
          f"the process had {loaded_mb:.0f} MB at most")  # fmt: skip
    run = answer["run"]
    options = ("--run", run, "--concurrency", str(SLOTS), "--log-level", "error")
    workers = [place.worker(f"machine-{number}", *options) for number in range(WORKERS)]
    steps: list[Step] = []
    try:
        place.wait_for(run, lambda counts: counts.completed > 0, 120.0)
        pids, server = [worker.pid for worker in workers], _server(place.url)
        last = _step(0, pids, server)
        for number in range(1, STEPS + 1):
            wanted = targets * number // STEPS
            place.wait_for(run, lambda counts, n=wanted: counts.completed >= n, DRAIN_SECONDS)
            now = _step(wanted, pids, server)
            steps.append(_since(last, now))
            _show(steps[-1])
            last = now
        codes = [worker.wait(60) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return [
        *([] if answer["enqueued"] == targets else [f"enqueued {answer['enqueued']:,}"]),
        *([] if not any(codes) else [f"the workers ended with {codes}"]),
        *_wrong(place, run, targets, steps, loaded_mb),
    ]


def _wrong(place: Place, run: str, targets: int, steps: list[Step], loaded_mb: float) -> list[str]:
    counts = place.store.runs.counts(run)
    wrong = place.store.upkeep.check()
    if (counts.completed, counts.items, counts.total) != (targets, targets, targets):
        wrong.append(f"counts: {counts}")
    first, last = steps[0], steps[-1]
    slower = last.cost / first.cost
    print(
        f"the last step took {slower:.2f} x the processor time of the first, "
        f"{last.seconds / first.seconds:.2f} x its time"
    )
    if slower > SLOWER:
        wrong.append(f"the last step cost {slower:.2f} times what the first did")
    grown = last.worker_mb - first.worker_mb
    if grown > GROWTH_MB or last.worker_mb > MOST_MB or loaded_mb > MOST_MB:
        wrong.append(f"workers grew by {grown:.0f} MB to {last.worker_mb:.0f} MB")
    return wrong


def _step(done: int, pids: list[int], server: int) -> Step:
    """As things stand: the memory of the largest worker, the processor time of all of them."""
    memory = max((memory_mb(pid) for pid in pids), default=0.0)
    children = family(server)[1:]
    connections = sum(_cpu_seconds(pid) for pid in children if DATABASE in _command(pid))
    of_server = _cpu_seconds(server, *CHILDREN_TOO) + sum(map(_cpu_seconds, children))
    of_workers = sum(map(_cpu_seconds, pids))
    return Step(done, time.monotonic(), memory, of_workers, connections, of_server - connections)


def _since(before: Step, now: Step) -> Step:
    """A worker that has just ended has no memory any more."""
    return Step(
        now.done,
        now.seconds - before.seconds,
        now.worker_mb or before.worker_mb,
        now.worker_cpu - before.worker_cpu,
        now.connection_cpu - before.connection_cpu,
        now.upkeep_cpu - before.upkeep_cpu,
    )


def _show(step: Step) -> None:
    print(
        f"{step.done:>9,}: {step.seconds:5.1f} s; processor time: {step.worker_cpu:.1f} s workers, "
        f"{step.connection_cpu:.1f} s their connections, {step.upkeep_cpu:.1f} s upkeep of the "
        f"server; worker {step.worker_mb:.0f} MB",
        flush=True,
    )


def _server(url: str) -> int:
    """The process that all others of the server are children of."""
    with psycopg.connect(url) as connection:
        pid = connection.info.backend_pid
        return int(_fields(pid)[PARENT])


def _cpu_seconds(pid: int, *more: int) -> float:
    try:
        fields = _fields(pid)
    except OSError:
        return 0.0
    return sum(int(fields[number]) for number in (USER, SYSTEM, *more)) / TICKS


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
