"""Stopwatches: rates in turns, latencies, memory."""

import os
import re
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

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


class Timed(Protocol):
    """Something to be timed over and over; `after` is not on the clock."""

    def call(self) -> Any: ...
    def after(self, result: Any) -> None: ...


def latencies_in_turns(
    timed: dict[str, Timed], *, times: int, warm_up: int = 50
) -> dict[str, Latency]:
    """How long each call takes. They take turns, so that a noisy second hits all of them."""
    taken: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(warm_up + times):
        for name, one in timed.items():
            begun = time.perf_counter_ns()
            result = one.call()
            taken[name].append((time.perf_counter_ns() - begun) / 1e6)
            one.after(result)
    return {name: _latency_of(values[warm_up:]) for name, values in taken.items()}


def _latency_of(milliseconds: list[float]) -> Latency:
    cuts = statistics.quantiles(milliseconds, n=100, method="inclusive")
    return Latency(cuts[49], cuts[98])


class Disk:
    """Keeps 4 KB for good; every commit waits for that at least once."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def call(self) -> None:
        self._file.write(bytes(4_096))
        self._file.flush()
        os.fsync(self._file.fileno())

    def after(self, result: Any) -> None:
        pass


def disk_latency(times: int = 200) -> Latency:
    with tempfile.TemporaryFile(prefix="swather-bench-") as file:
        return latencies_in_turns({"disk": Disk(file)}, times=times)["disk"]


def anonymous_bytes() -> int:
    """Memory of this process that is its own: not files that happen to be mapped."""
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"RssAnon:\s+(\d+) kB", status.read_text())):
        return int(found[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class MemoryWatch:
    """Looks at this process's memory while streams pass through, and not in between."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._streams: list[list[int]] = []

    def over(self, stream: Iterable[T]) -> Iterator[T]:
        seen: list[int] = []
        self._streams.append(seen)
        for number, element in enumerate(stream):
            if number % self._every == 0:
                seen.append(anonymous_bytes())
            yield element
        seen.append(anonymous_bytes())

    def growth_mb(self, last: int) -> float:
        """By how much the last streams raised it; the first ones fill the database's cache."""
        return sum(max(seen) - seen[0] for seen in self._streams[-last:]) / 1e6
