"""Claim: from runs to heads to tasks, as pauses, limits and the strategy allow."""

import math
import time
from collections import defaultdict
from random import Random
from typing import Any, Final

from swather.model.lease import Claimed, ClaimRequest, Lease
from swather.model.payload import decode
from swather.model.retry import Faults
from swather.store.postgres.arrays import Bigints, Smallints, Texts
from swather.store.postgres.ask import Attempt, Rows, ask
from swather.store.postgres.connection import Connection
from swather.store.postgres.marks import TOP, Marks
from swather.store.postgres.offers import (
    OF_ALL,
    Group,
    Offer,
    Offers,
    Portion,
    groups_of,
    portions_of,
)
from swather.store.postgres.outlook import Cursors, Outlook, Scope, in_turn
from swather.store.postgres.ready import promote_due
from swather.store.postgres.statements import queries

MAX_OUTLOOKS: Final = 16
MAX_LOOKS: Final = 20
MAX_LOOKS_IN_VAIN: Final = 2
TIDY_AT: Final = 64
SOON_SECONDS: Final = 0.02
_NO_FAULTS: Final = Faults()


class Claimer:
    """Makes claims. Caches, as hints only, where tasks were found."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._random = Random()
        self._oldest = Marks()
        self._newest = Marks()
        self._offers = Offers(self._oldest, self._newest, self._random)
        self._cursors = Cursors()
        self._outlooks: dict[tuple[Any, ...], Outlook] = {}
        self._turn = self._random.randrange(1_000)
        self._idle: set[int] = set()

    def claim(self, request: ClaimRequest) -> Claimed:
        return self.complete(request, self.attempt(request))

    def attempt(self, request: ClaimRequest) -> Attempt | None:
        """The first look, at known heads, in one statement. Inside a transaction it is only sent;
        `complete` reads the result when the transaction has ended.
        """
        self._turn += 1
        outlook = self._outlook(request)
        if outlook.is_stale:
            outlook.read(request.count, self._turn, thorough=False)
        for group in groups_of(in_turn(outlook.scopes, self._turn), again=False):
            for portion in portions_of(group, request.count):
                return self._ask(group, portion, request, request.count)
        return None

    def complete(self, request: ClaimRequest, first: Attempt | None) -> Claimed:
        """Read the result of the first look; if it was short, look thoroughly."""
        outlook = self._outlook(request)
        leases = [] if first is None else self._take_in(first)
        if len(self._idle) >= TIDY_AT:
            self._tidy()
        if len(leases) < request.count:
            leases += self._look_further(request, outlook, request.count - len(leases))
        if len(leases) < request.count:
            return Claimed(leases, self._retry_after(outlook))
        return Claimed(leases)

    def returned(self, head_id: int, priority: int, task_id: int) -> None:
        """A task is ready again: it may be below the marks."""
        self._oldest.returned(head_id, priority, task_id)
        self._newest.returned(head_id, priority, task_id)

    def _look_further(self, request: ClaimRequest, outlook: Outlook, wanted: int) -> list[Lease]:
        """Look until no head has more, and once more if that made scheduled tasks ready. Heads that
        others have locked are skipped.
        """
        self._tidy()
        leases: list[Lease] = []
        promoted = False
        in_vain = 0
        for _ in range(MAX_LOOKS):
            taken = self._look(request, outlook, wanted - len(leases))
            leases += taken
            changed = self._tidy()
            if len(leases) >= wanted:
                break
            if taken or changed:
                in_vain = 0
            elif not outlook.complete and in_vain < MAX_LOOKS_IN_VAIN:
                in_vain += 1
            elif not promoted and promote_due(self._connection, self.returned):
                promoted = True
            elif request.unpaced and self._woken(outlook):
                continue
            else:
                break
        return leases

    def _woken(self, outlook: Outlook) -> bool:
        """Wake heads that wait for their lanes; returns whether there were any."""
        run_ids = Bigints(sorted({scope.run_id for scope in outlook.scopes}))
        return bool(self._connection.rows(queries.wake_unpaced, {"run_ids": run_ids}))

    def _look(self, request: ClaimRequest, outlook: Outlook, wanted: int) -> list[Lease]:
        """Ask every awake head once, until there is enough."""
        outlook.read(wanted, self._turn, thorough=True)
        leases: list[Lease] = []
        for group in groups_of(in_turn(outlook.scopes, self._turn), again=True):
            for portion in portions_of(group, wanted):
                leases += self._take_in(self._ask(group, portion, request, wanted - len(leases)))
                if len(leases) >= wanted:
                    return leases
                if group.is_closed:
                    break
        return leases

    def _outlook(self, request: ClaimRequest) -> Outlook:
        kind = (
            request.worker_id, request.runs, request.scrapers, request.partitions, request.strategy,
            request.unpaced,
        )  # fmt: skip
        outlook = self._outlooks.get(kind)
        if outlook is None:
            if len(self._outlooks) >= MAX_OUTLOOKS:
                self._outlooks.clear()
            outlook = self._outlooks[kind] = Outlook(self._connection, request, self._cursors)
        return outlook

    def _ask(self, group: Group, portion: Portion, request: ClaimRequest, wanted: int) -> Attempt:
        return ask(
            self._connection,
            group.pick,
            self._offers.make(group.pick, portion, wanted, time.monotonic()),
            wanted,
            worker_id=request.worker_id,
            scraper_lane_id=group.scraper_lane_id,
            unpaced=request.unpaced,
        )

    def _take_in(self, attempt: Attempt) -> list[Lease]:
        """The leases of a result; the rest of it becomes hints."""
        offered = _heads_by_scope(attempt.offers)
        attempt, rows = attempt.answered()
        if attempt.opens_seconds is not None:
            attempt.offers[0].scope.opens_seconds = attempt.opens_seconds
            return []
        taken = _taken_by_offer(attempt, rows)
        complete = len(rows) < attempt.wanted
        reached = attempt.offers if complete else attempt.offers[: _last_giving(taken) + 1]
        for scope, heads in _heads_by_scope(reached).items():
            scope.heads.rotate(-len(heads))
        gone = self._learn(attempt, taken, complete=complete).union(attempt.closed)
        if gone:
            for scope in offered:
                scope.drop(gone)
        every_seconds = attempt.every_seconds
        return [_lease_of(row, attempt.began, every_seconds.get(row[8], 0.0)) for row in rows]

    def _learn(self, attempt: Attempt, taken: list[list[int]], *, complete: bool) -> set[int]:
        """Set marks by what was taken; returns the heads that seem empty."""
        now = time.monotonic()
        newest = attempt.pick.is_newest
        marks = self._newest if newest else self._oldest
        last = len(taken) if complete else _last_giving(taken)
        giving = {offer.head.id for offer, ids in zip(attempt.offers, taken, strict=True) if ids}
        empty: set[int] = set()
        for number, (offer, ids) in enumerate(zip(attempt.offers, taken, strict=True)):
            key = offer.head.id, offer.priority
            exhausted = number < last and len(ids) < offer.quota
            if offer.is_thorough:
                marks.scanned(*key, now, now - attempt.began)
            if ids and newest:
                fresh = offer.is_thorough or (offer.below == TOP and not exhausted)
                marks.took_newest(*key, ids, fresh=fresh)
            elif ids:
                marks.took_oldest(*key, ids)
            if exhausted and not offer.is_thorough:
                marks.doubt(*key, now)
            elif exhausted and offer.priority in (OF_ALL, offer.head.best):
                self._idle.add(offer.head.id)
                if offer.head.id not in giving:
                    empty.add(offer.head.id)
        return empty

    def _tidy(self) -> int:
        """Put empty heads to sleep; returns how many were, or had less than expected."""
        if not self._idle:
            return 0
        idle, self._idle = Bigints(sorted(self._idle)), set()

        def work() -> int:
            rows = self._connection.rows(queries.lock_heads_to_tidy, {"heads": idle}, hot=True)
            locked = Bigints(row[0] for row in rows)
            return len(self._connection.rows(queries.tidy_heads, {"heads": locked}, hot=True))

        return self._connection.transact(work)

    def _retry_after(self, outlook: Outlook) -> float | None:
        """Seconds until something may be due."""
        seconds = list(outlook.cooling_seconds)
        waiting = []
        for scope in outlook.scopes:
            if scope.opens_seconds is None:
                waiting += [(scope.run_id, scope.partition, best) for best in scope.priorities]
            else:
                seconds.append(scope.opens_seconds)
        if waiting:
            seconds.append(self._next_due(waiting))
        soonest = min(seconds, default=math.inf)
        return None if math.isinf(soonest) else max(soonest, 0.0)

    def _next_due(self, keys: list[tuple[int, str, int]]) -> float:
        run_ids = Bigints(key[0] for key in keys)
        row = self._connection.rows(
            queries.next_due,
            {
                "run_ids": run_ids,
                "partitions": Texts(key[1] for key in keys),
                "bests": Smallints(key[2] for key in keys),
            },
            hot=True,
        )[0]
        if row[1]:
            self._connection.execute(queries.wake_overslept, {"run_ids": run_ids})
            return SOON_SECONDS
        return math.inf if row[0] is None else float(row[0])


def _taken_by_offer(attempt: Attempt, rows: Rows) -> list[list[int]]:
    """The ids that each offer gave."""
    by_head: dict[tuple[int, int], list[int]] = defaultdict(list)
    of_all = attempt.pick.is_of_all
    for row in rows:
        by_head[row[8], OF_ALL if of_all else row[4]].append(row[0])
    return [
        [i for i in by_head.get((o.head.id, o.priority), ()) if o.above < i < o.below]
        for o in attempt.offers
    ]


def _last_giving(taken: list[list[int]]) -> int:
    return max((number for number, ids in enumerate(taken) if ids), default=-1)


def _heads_by_scope(offers: list[Offer]) -> dict[Scope, set[int]]:
    by_scope: dict[Scope, set[int]] = defaultdict(set)
    for offer in offers:
        by_scope[offer.scope].add(offer.head.id)
    return by_scope


def _lease_of(row: tuple[Any, ...], claimed_at: float, every_seconds: float) -> Lease:
    return Lease(
        task_id=row[0],
        token=row[1],
        run_id=row[2],
        target=decode(row[3]),
        priority=row[4],
        lane=row[5],
        partition=row[6],
        parent_id=row[7],
        faults=_NO_FAULTS if row[9] is None else Faults(*row[9:16]),
        part=row[16] or 0,
        cursor=None if row[17] is None else decode(row[17]),
        claimed_at=claimed_at,
        every_seconds=every_seconds,
    )
