"""The situation of a run: all that its reasons and its estimate are made of."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from swather.model.lane import Breaker, Lane, PacedKind
from swather.model.run import Counts, Run
from swather.model.waiting import Waiting
from swather.model.worker import Worker, WorkerKind
from swather.runs import proxy_words
from swather.runs.worker_line import RunningTarget, WorkerLine, lines_of
from swather.store import Store

MAX_LANES: Final = 200
MAX_LANES_SHOWN: Final = 10


class Surroundings(NamedTuple):
    """What is the same for all runs of a database: read once, where many runs are looked at."""

    workers: list[Worker]
    lanes: list[Lane]
    breakers: list[Breaker]

    @classmethod
    def read(cls, store: Store) -> "Surroundings":
        return cls(store.workers.find(), store.lanes.find(limit=MAX_LANES), store.breakers.find())


class Situation:
    """Read at one moment. `now` is the time by the database's clock, where a worker has reported
    it; `starts_workers` if the process that asks has workers of its own, and `had_workers` once
    some of them have started.
    """

    @classmethod
    def of(cls, store: Store, run: Run, around: Surroundings | None = None) -> "Situation":
        """With the counts that it has now."""
        return cls(store, run, store.runs.counts(run.name), around=around)

    def __init__(
        self,
        store: Store,
        run: Run,
        counts: Counts,
        now: datetime | None = None,
        *,
        starts_workers: bool = False,
        had_workers: bool = False,
        around: Surroundings | None = None,
    ) -> None:
        self.starts_workers = starts_workers
        self.had_workers = had_workers
        self.store = store
        self.url = store.url
        self.run = run
        self.counts = counts
        self._around = around or Surroundings.read(store)
        live = self._around.workers
        self.now = now or _database_time(live)
        self.workers: list[WorkerLine] = lines_of(live, run)
        self.producers: list[Worker] = [
            worker
            for worker in live
            if worker.kind is WorkerKind.PRODUCER and worker.run == run.name
        ]
        self.waiting = store.tasks.waiting(run.name) if counts.waiting else Waiting()
        self.scraper = store.lanes.get(run.scraper, PacedKind.SCRAPER)
        self.pool = proxy_words.pool_of(store, run)
        self.lanes: list[Lane] = list(self._lanes())
        waits_on = {lane.lane for lane in self.waiting.lanes}
        self.breakers = [
            breaker
            for breaker in self._around.breakers
            if breaker.scraper == run.scraper and breaker.lane in waits_on
        ]

    def _lanes(self) -> Iterator[Lane]:
        """The lanes that tasks of the run wait on, with all that holds them back."""
        waits_on = {lane.lane for lane in self.waiting.lanes} - {""}
        if not waits_on:
            return
        known = set()
        for lane in self._around.lanes:
            if lane.kind is PacedKind.LANE and lane.name in waits_on:
                known.add(lane.name)
                yield lane
        yield from map(self.store.lanes.get, sorted(waits_on - known)[:MAX_LANES_SHOWN])

    @property
    def is_out_of_proxies(self) -> bool:
        """Whether the run needs a proxy, and none can be used wherever it goes."""
        if self.pool is None:
            return False
        return not proxy_words.usable_on(self.pool, "", self.worker_ids).usable

    @property
    def worker_ids(self) -> set[int]:
        return {worker.id for worker in self.workers}

    @property
    def able(self) -> list[WorkerLine]:
        return [worker for worker in self.workers if not worker.paused]

    @property
    def running(self) -> int:
        """How many targets of the run execute; a beat that is two seconds old may know more."""
        return min(sum(worker.running for worker in self.workers), self.counts.leased)

    @property
    def current(self) -> list[RunningTarget]:
        """Targets that execute, the oldest first."""
        found = [each for worker in self.workers for each in worker.current]
        return sorted(found, key=lambda each: -each.seconds)

    @property
    def is_still(self) -> bool:
        """Whether nothing has ended lately, wherever something executes."""
        at_work = [worker for worker in self.workers if worker.running]
        return all(worker.is_still for worker in at_work)


def _database_time(live: list[Worker]) -> datetime:
    told = (worker.beat_at + timedelta(seconds=worker.silent_seconds) for worker in live)
    return max(told, default=datetime.now(UTC))
