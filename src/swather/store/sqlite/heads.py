"""Heads: walked in turn, leased from, put to sleep. No twin: PostgreSQL has outlook.py, ask.py."""

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from swather.model.lease import ClaimRequest, Lease, Strategy
from swather.model.payload import decode
from swather.model.retry import Faults
from swather.store.gate import slowest
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import Gate, Gates
from swather.store.sqlite.statements import queries

_START: Final = (-1.0, 0)
_MAX_CURSORS: Final = 10_000
_NO_FAULTS: Final = Faults()


class ClaimedRun(NamedTuple):
    """A run that a claim may take from."""

    id: int
    version: str
    strategy: Strategy
    priorities: list[int]
    scraper_id: int
    gate: Gate | None


class Head(NamedTuple):
    id: int
    best: int
    wake_at: float
    lane_id: int
    lane: str
    gates: tuple[Gate, ...]

    @property
    def is_closed(self) -> bool:
        return any(not gate.left for gate in self.gates)


class Cursors:
    """Where the last claim stopped in each run and partition; a hint, kept in memory."""

    def __init__(self) -> None:
        self._at: dict[tuple[int, str], tuple[float, int]] = {}

    def get(self, run_id: int, partition: str) -> tuple[float, int]:
        return self._at.get((run_id, partition), _START)

    def set(self, run_id: int, partition: str, head: Head) -> None:
        if len(self._at) > _MAX_CURSORS:
            self._at.clear()
        self._at[run_id, partition] = head.wake_at, head.id


class Walk:
    """The heads that one claim looks at, and what it takes from them."""

    def __init__(
        self,
        connection: Connection,
        request: ClaimRequest,
        now: float,
        gates: Gates,
        cursors: Cursors,
    ) -> None:
        self._connection = connection
        self._request = request
        self._now = now
        self._gates = gates
        self._cursors = cursors
        self._claimed_at = time.monotonic()
        self._token = 0
        self.put_to_sleep = 0

    def candidates(self, run: ClaimedRun, partition: str, lowest: int, limit: int) -> list[Head]:
        """Awake heads that may have tasks of priority `lowest` or higher, starting where the last
        claim stopped and wrapping around.
        """
        cursor = self._cursors.get(run.id, partition)
        heads = self._after(run, partition, lowest, cursor, limit)
        if len(heads) < limit and cursor != _START:
            seen = {head.id for head in heads}
            again = self._after(run, partition, lowest, _START, limit - len(heads))
            heads += [head for head in again if head.id not in seen]
        if heads:
            self._cursors.set(run.id, partition, heads[-1])
        return heads

    def _after(
        self,
        run: ClaimedRun,
        partition: str,
        lowest: int,
        cursor: tuple[float, int],
        limit: int,
    ) -> list[Head]:
        rows: list[tuple[Any, ...]] = []
        for best in run.priorities:
            if best >= lowest:
                rows += self._connection.rows(
                    queries.candidate_heads, (run.id, partition, best, self._now, *cursor, limit)
                )
        if len(run.priorities) > 1:
            rows.sort(key=lambda row: (row[2], row[0]))
        return [
            Head._make((*row[:5], self._gates.on(row[3], row[5:], run.id, run.scraper_id)))
            for row in rows[:limit]
        ]

    def take(
        self,
        run: ClaimedRun,
        partition: str,
        quotas: dict[Head, int],
        priorities: Sequence[int],
    ) -> dict[Head, list[Lease]]:
        """Lease up to each head's quota of tasks of these priorities."""
        picked = self._pick(run, quotas, priorities)
        if not any(picked.values()):
            return {head: [] for head in quotas}
        if not self._token:
            self._token = self._connection.value(queries.next_token)
        self._move(run, picked, priorities)
        return {head: self._leases_of(run, partition, head, rows) for head, rows in picked.items()}

    def _pick(
        self, run: ClaimedRun, quotas: dict[Head, int], priorities: Sequence[int]
    ) -> dict[Head, list[tuple[Any, ...]]]:
        newest = run.strategy is Strategy.LIFO
        rows = self._connection.many_rows(
            queries.pick_newest if newest else queries.pick_oldest,
            [
                (head.id, priority, quota)
                for head, quota in quotas.items()
                for priority in priorities
            ],
        )
        by_head: dict[int, list[tuple[Any, ...]]] = {head.id: [] for head in quotas}
        for row in rows:
            by_head[row[0]].append(row)
        if len(priorities) > 1:
            for found in by_head.values():
                found.sort(key=lambda row: row[2], reverse=newest)
        return {head: by_head[head.id][:quota] for head, quota in quotas.items()}

    def _move(
        self,
        run: ClaimedRun,
        picked: dict[Head, list[tuple[Any, ...]]],
        priorities: Sequence[int],
    ) -> None:
        """From the queue to the leases. The picked tasks of a priority are all there are in their
        range: no one else is writing.
        """
        ranges = []
        leases = []
        replacing = []
        for head, rows in picked.items():
            # A lease that touches no site is in flight on no lane.
            lane_id = 0 if self._request.unpaced else head.lane_id
            for priority in priorities:
                task_ids = [row[2] for row in rows if row[1] == priority]
                if task_ids:
                    found = head.id, priority, min(task_ids), max(task_ids)
                    owner = self._token, self._request.worker_id, run.id
                    ranges.append(found)
                    leases.append((*found, *owner, lane_id, self._now))
            replacing += [
                (row[2],) for row in rows if row[12] or row[15] not in (None, run.version)
            ]
        self._connection.executemany(queries.add_leases, leases)
        self._connection.executemany(queries.take_ready, ranges)
        self._connection.executemany(queries.mark_leases, replacing)

    def _leases_of(
        self, run: ClaimedRun, partition: str, head: Head, rows: list[tuple[Any, ...]]
    ) -> list[Lease]:
        every_seconds = slowest(head.gates if run.gate is None else (*head.gates, run.gate))
        leases = []
        for row in rows:
            # Another version of the scraper starts over.
            resumes = row[13] is not None and row[15] == run.version
            lease = Lease(
                task_id=row[2],
                token=self._token,
                run_id=run.id,
                target=decode(row[3]),
                priority=row[1],
                lane=head.lane,
                partition=partition,
                parent_id=row[4],
                faults=_NO_FAULTS if row[5] is None else Faults(*row[5:12]),
                part=row[13] if resumes else 0,
                cursor=decode(row[14]) if resumes else None,
                claimed_at=self._claimed_at,
                every_seconds=every_seconds,
            )
            leases.append(lease)
        return leases

    def sleep(self, head: Head) -> float:
        """Put the head to sleep; returns the time before which nothing may start there."""
        last = max(head.gates, key=lambda gate: gate.opens_at())
        opens_at = last.opens_at()
        if opens_at > self._now:
            self.put_to_sleep += 1
            self._connection.execute(queries.sleep_head, (opens_at, last.sleep_reason(), head.id))
        return opens_at

    def tidy(self, head: Head) -> None:
        """The head had fewer tasks than expected: lower its best priority, or put it to sleep."""
        best = self._connection.value(queries.best_ready, (head.id,))
        if best is None:
            self.put_to_sleep += 1
            self._connection.execute(queries.empty_head, (head.id,))
        elif best != head.best:
            self._connection.execute(queries.lower_best, (best, head.id))
