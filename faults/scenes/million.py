"""A million URLs, enqueued from a file and drained: memory stays flat, and the rate of the first
hundred thousand holds to the last.
"""

import os
import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

from bench.processes import TICKS, family, memory_mb
from faults.scenes.place import Place

STEPS: Final = 10
WORKERS: Final = 2
SLOTS: Final = 100
DRAIN_SECONDS: Final = 3_600.0
# How much slower the last step may be than the first, by processor time, which other work on the
# machine does not change much; and how much a worker may grow.
SLOWER: Final = 1.2
GROWTH_MB: Final = 15.0
MOST_MB: Final = 150.0


class Step(NamedTuple):
    done: int
    seconds: float
    worker_mb: float
    cpu_seconds: float


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
        pids = [worker.pid for worker in workers]
        last = _step(0, pids)
        for number in range(1, STEPS + 1):
            wanted = targets * number // STEPS
            place.wait_for(run, lambda counts, n=wanted: counts.completed >= n, DRAIN_SECONDS)
            now = _step(wanted, pids)
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
    # The first step starts the workers, too.
    first, last = steps[1], steps[-2]
    slower = last.cpu_seconds / first.cpu_seconds
    print(f"step {STEPS - 1} took {slower:.2f} x the processor time of step 2, "
          f"{last.seconds / first.seconds:.2f} x its time")  # fmt: skip
    if slower > SLOWER:
        wrong.append(f"the last steps cost {slower:.2f} times what the first did")
    grown = last.worker_mb - first.worker_mb
    if grown > GROWTH_MB or last.worker_mb > MOST_MB or loaded_mb > MOST_MB:
        wrong.append(f"workers grew by {grown:.0f} MB to {last.worker_mb:.0f} MB")
    return wrong


def _step(done: int, pids: list[int]) -> Step:
    """As things stand: the memory of the largest worker, the processor time of all of them."""
    memory = max((memory_mb(pid) for pid in pids if _is_there(pid)), default=0.0)
    return Step(done, time.monotonic(), memory, sum(map(_cpu_seconds, pids)))


def _since(before: Step, now: Step) -> Step:
    """A last step may end after its workers."""
    cpu = max(now.cpu_seconds - before.cpu_seconds, 0.0)
    return Step(now.done, now.seconds - before.seconds, now.worker_mb, cpu)


def _show(step: Step) -> None:
    print(f"{step.done:>9,}: {step.seconds:6.1f} s, {step.cpu_seconds:6.1f} s of processor time, "
          f"worker {step.worker_mb:.0f} MB", flush=True)  # fmt: skip


def _is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}/status").exists()


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


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
