"""A cache of scopes and heads. No twin: SQLite reads them each time (heads.py).

It is a hint that saves a claim a query each time; the claim's own statement decides.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeVar

from swather.model.lease import ClaimRequest, Strategy, priorities_in
from swather.store.postgres.arrays import Bigints, Floats, Integers, Smallints, Texts
from swather.store.postgres.connection import Connection, Statement
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


class Question(NamedTuple):
    """Which heads to read: up to `each` of every key (run, partition, best priority), after the one
    where the last read stopped, and those that are due since some moment.
    """

    keys: list[tuple[int, str, int]]
    after: list[int]
    since: list[float]
    each: int
    asked_at: float

    @property
    def limit(self) -> int:
        return SCOPES_FULL * self.each

    @property
    def asked(self) -> list[Statement]:
        """The statement that asks it, if there is anything to ask."""
        if not self.keys:
            return []
        values = {
            "entries": Integers(range(len(self.keys))),
            "run_ids": Bigints(key[0] for key in self.keys),
            "partitions": Texts(key[1] for key in self.keys),
            "bests": Smallints(key[2] for key in self.keys),
            "after": Bigints(self.after),
            "since": Floats(self.since),
            "each": self.each,
            "limit": self.limit,
        }
        return [(queries.awake_heads, values)]


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
        # Scopes seldom change: the heads of those that are known are asked for along with them.
        guess = self._question(turn, wanted, thorough=thorough)
        scopes, *heads = self._connection.rows_of_each([self._scopes_asked(), *guess.asked])
        self._take_scopes(scopes)
        question = self._question(turn, wanted, thorough=thorough)
        if question.keys == guess.keys:
            question = guess
        else:
            heads = self._connection.rows_of_each(question.asked)
        self._take_heads(question, turn, heads[0] if heads else [])
        self._read_at = time.monotonic()

    def _entries(self, turn: int) -> list[tuple[Scope, int]]:
        """Each scope with each of its priorities, in the order in which they are asked."""
        return [
            (scope, best)
            for scope in in_turn(self.scopes, turn)
            for best in (
                sorted(scope.priorities, reverse=True)
                if scope.strategy is Strategy.PRIORITY
                else in_turn(scope.priorities, turn)
            )
        ]

    def _question(self, turn: int, wanted: int, *, thorough: bool) -> Question:
        now = time.monotonic()
        keys = [(scope.run_id, scope.partition, best) for scope, best in self._entries(turn)]
        return Question(
            keys,
            after=[self._cursors.after.get(key, 0) for key in keys],
            since=[self._since(key, now, thorough=thorough) for key in keys],
            each=max(HEADS_EACH, wanted),
            asked_at=now,
        )

    def _take_heads(self, question: Question, turn: int, rows: list[tuple[Any, ...]]) -> None:
        cost = time.monotonic() - question.asked_at
        entries = self._entries(turn)
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
        cut = len(rows) >= question.limit
        self.complete = not cut and not any(question.after)
        for entry, (scope, _) in enumerate(entries):
            key = question.keys[entry]
            if len(free[entry]) >= question.each:
                self._cursors.after[key] = free[entry][-1].id
                self.complete = False
            elif not cut:
                self._cursors.after.pop(key, None)
            if not question.since[entry]:
                self._cursors.since[key] = (first_due.get(entry, 0.0), question.asked_at, cost)
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

    def _scopes_asked(self) -> Statement:
        request = self._request
        this = {"worker_id": request.worker_id}
        if request.unpaced:
            return queries.unpaced_scopes, {**this, "names": Texts(request.runs or ())}
        if request.runs is None:
            return queries.scopes, this
        return queries.scopes_of_runs, {**this, "names": Texts(request.runs)}

    def _take_scopes(self, rows: list[tuple[Any, ...]]) -> None:
        request = self._request
        self.scopes, self.cooling_seconds = [], []
        served = []
        for run_id, scraper, strategy, mask, lane_id, limited, owned, cools in rows:
            if request.scrapers is not None and scraper not in request.scrapers:
                continue
            served.append(run_id)
            if cools > 0:
                self.cooling_seconds.append(cools)
                continue
            for partition in ["", *owned]:
                if request.partitions is None or partition in request.partitions:
                    chosen = request.strategy or Strategy(strategy)
                    self.scopes.append(
                        Scope(run_id, partition, chosen, priorities_in(mask), lane_id, limited)
                    )
        if not request.unpaced:
            self._serving.serve(served)


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
