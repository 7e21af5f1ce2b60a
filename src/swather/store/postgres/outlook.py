"""A cache of scopes and heads. No twin: SQLite reads them each time (heads.py).

It is a hint that saves a claim a query each time; the claim's own statement decides.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from swather.model.lease import ClaimRequest, Strategy, priorities_in
from swather.store.postgres.arrays import Bigints, Floats, Integers, Smallints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.marks import COST_FACTOR
from swather.store.postgres.statements import queries

T = TypeVar("T")

MAX_AGE_SECONDS: Final = 0.25
MAX_CURSORS: Final = 10_000
HEADS_EACH: Final = 64
SCOPES_FULL: Final = 4


class HeadLimit(StrEnum):
    """What limits a head: nothing, a number in flight, or more than that."""

    FREE = "free"
    COUNTED = "counted"
    PACED = "paced"


class Head(NamedTuple):
    """The front of a lane in one run's partition."""

    id: int
    best: int
    lane_id: int
    limit: str

    @property
    def is_limited(self) -> bool:
        return self.limit != HeadLimit.FREE


class Scope:
    """A run's partition that this worker may take from."""

    def __init__(
        self,
        run_id: int,
        partition: str,
        strategy: Strategy,
        priorities: list[int],
        scraper_lane_id: int,
        scraper_limited: bool,
    ) -> None:
        self.run_id = run_id
        self.partition = partition
        self.strategy = strategy
        self.priorities = priorities
        self.scraper_lane_id = scraper_lane_id
        self.scraper_limited = scraper_limited
        self.heads: deque[Head] = deque()
        self.opens_seconds: float | None = None

    def drop(self, head_ids: set[int]) -> None:
        self.heads = deque(head for head in self.heads if head.id not in head_ids)


class Cursors:
    """Where the walk over a scope's heads stopped, and since when its timed ones may be due."""

    def __init__(self) -> None:
        self.after: dict[tuple[int, str, int], int] = {}
        self.since: dict[tuple[int, str, int], tuple[float, float, float]] = {}

    def trim(self) -> None:
        if len(self.after) > MAX_CURSORS:
            self.after.clear()
        if len(self.since) > MAX_CURSORS:
            self.since.clear()


class Serving:
    """The runs that this worker is known to serve."""

    def __init__(self, connection: Connection, worker_id: int) -> None:
        self._connection = connection
        self._worker_id = worker_id
        self._known: set[int] = set()

    def serve(self, runs: Collection[int]) -> None:
        """The worker serves these runs from now on: their limits apply to their lanes."""
        new = set(runs) - self._known
        if new:
            self._connection.execute(
                queries.serve_runs,
                {"runs": Bigints(sorted(new)), "worker_id": self._worker_id},
                hot=True,
            )
            if not self._connection.in_transaction:
                self._known = set(runs)


class Outlook:
    """What one kind of request may take from."""

    def __init__(self, connection: Connection, request: ClaimRequest, cursors: Cursors) -> None:
        self._connection = connection
        self._request = request
        self._cursors = cursors
        self._serving = Serving(connection, request.worker_id)
        self._read_at = -MAX_AGE_SECONDS
        self.scopes: list[Scope] = []
        self.cooling_seconds: list[float] = []
        self.complete = False

    @property
    def is_stale(self) -> bool:
        return time.monotonic() - self._read_at > MAX_AGE_SECONDS

    def read(self, wanted: int, turn: int, *, thorough: bool) -> None:
        """Read runs and heads again, the heads from where the last read stopped.

        `complete` then says whether all awake heads are known. Each turn begins with another
        scope, as the read ends when it has found enough.
        """
        self.scopes, self.cooling_seconds = self._read_scopes()
        self._read_heads(wanted, turn, thorough=thorough)
        self._read_at = time.monotonic()

    def _read_heads(self, wanted: int, turn: int, *, thorough: bool) -> None:
        each = max(HEADS_EACH, wanted)
        limit = SCOPES_FULL * each
        entries = [
            (scope, best)
            for scope in in_turn(self.scopes, turn)
            for best in (
                sorted(scope.priorities, reverse=True)
                if scope.strategy is Strategy.PRIORITY
                else in_turn(scope.priorities, turn)
            )
        ]
        if not entries:
            self.complete = True
            return
        began = time.monotonic()
        keys = [(scope.run_id, scope.partition, best) for scope, best in entries]
        after = [self._cursors.after.get(key, 0) for key in keys]
        since = [self._since(key, began, thorough=thorough) for key in keys]
        rows = self._connection.rows(
            queries.awake_heads,
            {
                "entries": Integers(range(len(entries))),
                "run_ids": Bigints(key[0] for key in keys),
                "partitions": Texts(key[1] for key in keys),
                "bests": Smallints(key[2] for key in keys),
                "after": Bigints(after),
                "since": Floats(since),
                "each": each,
                "limit": limit,
            },
            hot=True,
        )
        cost = time.monotonic() - began
        free: list[list[Head]] = [[] for _ in entries]
        timed: list[list[Head]] = [[] for _ in entries]
        full: list[list[Head]] = [[] for _ in entries]
        first_due: dict[int, float] = {}
        for entry, head_id, best, lane_id, limited_by, wake_at, was_full in rows:
            head_limit = HeadLimit.FREE if self._request.unpaced else limited_by
            found = free if wake_at is None else full if was_full else timed
            found[entry].append(Head(head_id, best, lane_id, head_limit))
            if wake_at is not None:
                first_due.setdefault(entry, wake_at)
        cut = len(rows) >= limit
        self.complete = not cut and not any(after)
        for entry, (scope, _) in enumerate(entries):
            key = keys[entry]
            if len(free[entry]) >= each:
                self._cursors.after[key] = free[entry][-1].id
                self.complete = False
            elif not cut:
                self._cursors.after.pop(key, None)
            if not since[entry]:
                self._cursors.since[key] = (first_due.get(entry, 0.0), began, cost)
            scope.heads.extend(interleaved(free[entry], timed[entry]))
            # A finish wakes a full lane; one that was not woken is most likely still full.
            scope.heads.extend(full[entry])
        self._cursors.trim()

    def _since(self, key: tuple[int, str, int], now: float, *, thorough: bool) -> float:
        """The time before which no timed head is left, so that their dead rows are not scanned each
        time.
        """
        mark = self._cursors.since.get(key)
        if mark is None:
            return 0.0
        first_due, read_at, cost = mark
        patience = COST_FACTOR * cost if thorough else max(MAX_AGE_SECONDS, COST_FACTOR * cost)
        return 0.0 if now >= read_at + patience else first_due

    def _read_scopes(self) -> tuple[list[Scope], list[float]]:
        request = self._request
        scopes, cooling, served = [], [], []
        this = {"worker_id": request.worker_id}
        if request.unpaced:
            named = {**this, "names": Texts(request.runs or ())}
            rows = self._connection.rows(queries.unpaced_scopes, named, hot=True)
        elif request.runs is None:
            rows = self._connection.rows(queries.scopes, this, hot=True)
        else:
            named = {**this, "names": Texts(request.runs)}
            rows = self._connection.rows(queries.scopes_of_runs, named, hot=True)
        for run_id, scraper, strategy, mask, lane_id, limited, owned, cools in rows:
            if request.scrapers is not None and scraper not in request.scrapers:
                continue
            served.append(run_id)
            if cools > 0:
                cooling.append(cools)
                continue
            for partition in ["", *owned]:
                if request.partitions is None or partition in request.partitions:
                    chosen = request.strategy or Strategy(strategy)
                    scopes.append(
                        Scope(run_id, partition, chosen, priorities_in(mask), lane_id, limited)
                    )
        if not request.unpaced:
            self._serving.serve(served)
        return scopes, cooling


def in_turn(things: list[T], turn: int) -> list[T]:
    """All of them, starting with another each turn."""
    start = turn % max(len(things), 1)
    return things[start:] + things[:start]


def interleaved(first: Iterable[Head], second: Iterable[Head]) -> list[Head]:
    """One of each in turn, the rest of the longer at the end."""
    mixed = []
    longer, shorter = list(first), list(second)
    if len(longer) < len(shorter):
        longer, shorter = shorter, longer
    for index, head in enumerate(longer):
        mixed.append(head)
        if index < len(shorter):
            mixed.append(shorter[index])
    return mixed
