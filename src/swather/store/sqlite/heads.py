"""Heads: walked in turn, put to sleep. No twin: PostgreSQL caches them (outlook.py)."""

from typing import Any, Final, NamedTuple

from swather.model.lease import ClaimRequest, Strategy
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import Gate, Probe, lane_gate, probe_gate
from swather.store.sqlite.limiting import LimitingRuns
from swather.store.sqlite.statements import queries

_START: Final = (-1.0, 0)
_MAX_CURSORS: Final = 10_000


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
    """The heads that one claim looks at, and the gates of their lanes."""

    def __init__(
        self, connection: Connection, request: ClaimRequest, now: float, cursors: Cursors
    ) -> None:
        self._connection = connection
        self._count = request.count
        self._unpaced = request.unpaced
        self._now = now
        self._cursors = cursors
        self._limiting = LimitingRuns(connection)
        self._gates: dict[int, Gate | None] = {}
        self._probes: dict[tuple[int, int], Probe | None] = {}
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
            Head(row[0], row[1], row[2], row[3], row[4], self.gates(run, row[3], row[5:]))
            for row in rows[:limit]
        ]

    def gates(self, run: ClaimedRun, lane_id: int, row: tuple[Any, ...]) -> tuple[Gate, ...]:
        """The gates of this run's head on a lane; `row` ends with whether the lane is tripped."""
        if self._unpaced:
            return ()
        lane = self._gate(run, lane_id, row)
        if not row[-1]:
            return () if lane is None else (lane,)
        key = run.scraper_id, lane_id
        if key not in self._probes:
            self._probes[key] = probe_gate(self._connection, lane_id, run.scraper_id, self._now)
        return tuple(gate for gate in (lane, self._probes[key]) if gate is not None)

    def _gate(self, run: ClaimedRun, lane_id: int, row: tuple[Any, ...]) -> Gate | None:
        """One gate per lane, for all runs of this claim."""
        if lane_id not in self._gates:
            of_runs = self._limiting.on(lane_id, row[7], run.id)
            self._gates[lane_id] = lane_gate(
                self._connection, lane_id, row, of_runs, self._now, self._count
            )
        return self._gates[lane_id]

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

    def save(self) -> None:
        for gate in (*self._gates.values(), *self._probes.values()):
            if gate is not None:
                gate.save(self._connection)
