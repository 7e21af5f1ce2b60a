"""Stopwatches: rates in turns, latencies, memory."""

import os
import re
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def say(text: str) -> None:
    """Progress, where it does not get in the way of the figures."""
    print(text, file=sys.stderr, flush=True)


def rate(step: Callable[[], int], seconds: float) -> float:
    """Tasks per second of a step that says how many tasks it did; stops early when it did none."""
    done = 0
    begun = time.perf_counter()
    while (elapsed := time.perf_counter() - begun) < seconds:
        count = step()
        if not count:
            raise RuntimeError(f"the backlog was used up after {elapsed:.1f} s; use more --rows")
        done += count
    return done / elapsed


def rates_in_turns(
    steps: dict[str, Callable[[], int]], *, seconds: float, rounds: int = 3
) -> dict[str, float]:
    """The median rate of each step. They take turns, so that a noisy minute hits all of them."""
    measured: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        rate(step, seconds / 4)
    for _ in range(rounds):
        for name, step in steps.items():
            measured[name].append(rate(step, seconds))
    return {name: statistics.median(values) for name, values in measured.items()}


@dataclass(frozen=True)
class Latency:
    p50_ms: float
    p99_ms: float


def latency(
    timed: Callable[[], T], between: Callable[[T], None], *, times: int, warm_up: int = 50
) -> Latency:
    """How long `timed` takes; `between` gets what it returned and is not on the clock."""
    taken = []
    for _ in range(warm_up + times):
        begun = time.perf_counter_ns()
        result = timed()
        taken.append((time.perf_counter_ns() - begun) / 1e6)
        between(result)
    cuts = statistics.quantiles(taken[warm_up:], n=100, method="inclusive")
    return Latency(cuts[49], cuts[98])


def disk_latency(times: int = 200) -> Latency:
    """How long the disk takes to keep 4 KB for good; every commit waits for it at least once."""
    with tempfile.TemporaryFile(prefix="swather-bench-") as file:

        def keep() -> None:
            file.write(bytes(4_096))
            file.flush()
            os.fsync(file.fileno())

        return latency(keep, lambda _: None, times=times)


def anonymous_bytes() -> int:
    """Memory of this process that is its own: not files that happen to be mapped."""
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"RssAnon:\s+(\d+) kB", status.read_text())):
        return int(found[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class MemoryWatch:
    """Looks at this process's memory while a stream passes through."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._seen: list[int] = []

    def over(self, stream: Iterable[T]) -> Iterator[T]:
        for number, element in enumerate(stream):
            if number % self._every == 0:
                self._seen.append(anonymous_bytes())
            yield element
        self._seen.append(anonymous_bytes())

    def growth_mb(self, after: float) -> float:
        """How far the peak lies above the level reached when part `after` had passed."""
        first = round(len(self._seen) * after)
        late: Sequence[int] = self._seen[first:]
        return max(max(late) - late[0], 0) / 1e6
