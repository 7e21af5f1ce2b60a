"""Sums that only rise, over what the database says now.

Prometheus takes a counter that falls for one that began anew, and counts all of it again. What the
database holds does fall: failed tasks are tried again, runs are removed, workers end. So a server
counts what was added since it started, as any process does.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from swather.api.metrics_families import LATENCIES
from swather.model.latency import NO_LATENCY, Latency, latency_of
from swather.model.worker import Worker, WorkerState
from swather.worker.exposition import label
from swather.worker.waits import OTHER

K = TypeVar("K")


class Rising(Generic[K]):
    """What each of many numbers has gained. One that was not there at the last look is new and
    counts in full; before the first look nothing does.
    """

    def __init__(self) -> None:
        self.sums: dict[K, float] = {}
        self._seen: Mapping[K, float] | None = None

    def look(self, numbers: Mapping[K, float]) -> None:
        for key, number in numbers.items():
            before = number if self._seen is None else self._seen.get(key, 0)
            self.sums[key] = self.sums.get(key, 0) + max(number - before, 0)
        self._seen = dict(numbers)


class Said(NamedTuple):
    """What a worker has said of itself since its start."""

    requests: int
    waited: dict[str, float]
    latencies: dict[str, Latency]

    @classmethod
    def by(cls, worker: Worker) -> "Said":
        """Rows come from workers of any release, and may hold anything."""
        requests, latency = worker.statistics.get("requests"), worker.statistics.get("latency")
        found = latency if isinstance(latency, dict) else {}
        return cls(
            max(requests, 0) if type(requests) is int else 0,
            numbers_of(worker.statistics.get("waited")),
            {name: latency_of(found.get(name)) for name in LATENCIES.values()},
        )


class RisingWorkers:
    """The same of what workers say of themselves. One that is new has a higher id than all before
    it; an older one that comes to sight again counts from there on.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.lost = 0
        self.waited: dict[str, float] = {}
        self.latencies = dict.fromkeys(LATENCIES.values(), NO_LATENCY)
        self._seen: dict[int, Said] = {}
        self._newest: int | None = None
        # Those that were lost at the last look, and those that were alive.
        self._lost: set[int] | None = None
        self.live: frozenset[int] = frozenset()

    def look(self, workers: Collection[Worker]) -> None:
        lost = {worker.id for worker in workers if worker.state is WorkerState.LOST}
        self.lost += len(lost - self._lost) if self._lost is not None else 0
        self._lost = lost | (self._lost or set())
        self.live = frozenset(each.id for each in workers if each.state is WorkerState.LIVE)
        said = {worker.id: Said.by(worker) for worker in workers}
        for number, now in said.items():
            before = self._seen.get(number)
            if before is None and self._newest is not None and number > self._newest:
                before = Said(0, {}, {})
            if before is not None:
                self._add(before, now)
        self._newest = max([self._newest or 0, *said])
        self._seen = said

    def _add(self, before: Said, now: Said) -> None:
        self.requests += max(now.requests - before.requests, 0)
        for what, seconds in now.waited.items():
            gained_seconds = max(seconds - before.waited.get(what, 0.0), 0.0)
            self.waited[what] = self.waited.get(what, 0.0) + gained_seconds
        for name, latency in now.latencies.items():
            gained = latency.since(before.latencies.get(name, NO_LATENCY))
            self.latencies[name] = self.latencies[name].plus(gained)


def numbers_of(said: Any) -> dict[str, float]:
    """As a worker's row has them, which may hold anything."""
    found = said if isinstance(said, dict) else {}
    return {
        what: float(n) for what, n in found.items() if type(n) in (int, float) and 0 <= n < math.inf
    }


class Labels:
    """The values of a label, no more than `most`: those that come later are 'other'."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def of(self, text: str) -> str:
        found = label(text)
        if found in self._known:
            return found
        if len(self._known) >= self._most:
            return OTHER
        self._known.add(found)
        return found
