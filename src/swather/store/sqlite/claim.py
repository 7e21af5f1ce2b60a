"""Claim: from runs to heads to tasks, as pauses, limits and the strategy allow."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from swather import posix
from swather.model.lease import Claimed, ClaimRequest, Lease, Strategy, draw, priorities_in
from swather.model.task import EventKind, State
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import Gates
from swather.store.sqlite.heads import ClaimedRun, Cursors, Head, Walk
from swather.store.sqlite.ready import change_counters, promote_due
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

_CLOCK_TOLERANCE_SECONDS: Final = 1.5


class Taking:
    """The tasks that a claim has taken so far, and when those it could not take may open."""

    def __init__(
        self,
        connection: Connection,
        request: ClaimRequest,
        now: float,
        random: Random,
        cursors: Cursors,
    ) -> None:
        self.now = now
        self.wanted = request.count
        self.leases: list[Lease] = []
        self.gates = Gates(connection, request, now)
        self._connection = connection
        self._request = request
        self._random = random
        self._walk = Walk(connection, request, now, self.gates, cursors)
        self._opens_at = math.inf

    def may_open_at(self, at: float) -> None:
        self._opens_at = min(self._opens_at, at)

    def partitions(self, run: ClaimedRun) -> list[str]:
        if self._request.unpaced:
            open_to_us = self._connection.rows(queries.partitions_of_run, (run.id,))
        else:
            open_to_us = self._connection.rows(
                queries.partitions_of_worker, (run.id, self._request.worker_id)
            )
        names = ["", *(row[0] for row in open_to_us)]
        if self._request.partitions is not None:
            names = [name for name in names if name in self._request.partitions]
        return names

    def take_from(self, run: ClaimedRun, turn: int) -> None:
        names = self.partitions(run)
        start = turn % max(len(names), 1)
        for partition in names[start:] + names[:start]:
            match run.strategy:
                case Strategy.FIFO | Strategy.LIFO:
                    self._take(run, partition, run.priorities, self.wanted)
                case Strategy.PRIORITY:
                    for priority in reversed(run.priorities):
                        self._take(run, partition, [priority], self.wanted)
                case Strategy.WEIGHTED_RANDOM:
                    if run.priorities and self.wanted:
                        drawn = draw(run.priorities, self.wanted, self._random)
                        for priority, count in drawn.items():
                            self._take(run, partition, [priority], count)
                    self._take(run, partition, run.priorities, self.wanted)

    def _take(self, run: ClaimedRun, partition: str, priorities: Sequence[int], count: int) -> None:
        """Up to `count` tasks of these priorities, an equal share from each head in turn."""
        count = min(count, self.wanted)
        while count > 0 and priorities:
            sleeping = self._walk.put_to_sleep
            heads = [
                head
                for head in self._walk.candidates(run, partition, min(priorities), count)
                if self._may_start(run, head)
            ]
            taken = self._take_round(run, partition, heads, priorities, count)
            count -= taken
            if not taken and self._walk.put_to_sleep == sleeping:
                return

    def _may_start(self, run: ClaimedRun, head: Head) -> bool:
        if run.gate is not None and not run.gate.left:
            self.may_open_at(run.gate.opens_at())
            return False
        if not head.is_closed:
            return True
        self.may_open_at(self._walk.sleep(head))
        return False

    def _take_round(
        self,
        run: ClaimedRun,
        partition: str,
        heads: list[Head],
        priorities: Sequence[int],
        count: int,
    ) -> int:
        quotas = self._quotas(run, heads, count)
        taken = self._walk.take(run, partition, quotas, priorities)
        for head, leases in taken.items():
            self.leases += leases
            for gate in head.gates:
                gate.take(len(leases))
            if len(leases) < quotas[head]:
                self._walk.tidy(head)
            elif head.is_closed:
                self.may_open_at(self._walk.sleep(head))
        total = sum(len(leases) for leases in taken.values())
        self.wanted -= total
        if run.gate is not None:
            run.gate.take(total)
        return total

    def _quotas(self, run: ClaimedRun, heads: list[Head], count: int) -> dict[Head, int]:
        """How many to take from each head: equal shares, as far as the gates allow."""
        if run.gate is not None:
            count = min(count, run.gate.left)
        quotas: dict[Head, int] = {}
        share = math.ceil(count / max(len(heads), 1))
        for head in heads:
            quota = min([share, count, *(gate.left for gate in head.gates)])
            if quota > 0:
                quotas[head] = quota
                count -= quota
        return quotas

    def save(self, settings: SQLiteSettings) -> None:
        """Write the paces of the lanes, the counters and the log."""
        self.gates.save()
        taken = Counter(lease.run_id for lease in self.leases)
        deltas = {}
        for run_id, count in taken.items():
            deltas[run_id, str(State.READY)] = -count
            deltas[run_id, str(State.LEASED)] = count
        change_counters(self._connection, deltas)
        if settings.logs(EventKind.CLAIMED):
            self._connection.executemany(
                queries.log_claimed,
                [
                    (self.now, lease.run_id, lease.task_id, self._request.worker_id)
                    for lease in self.leases
                ],
            )

    def seconds_to_next(self, runs: Sequence[ClaimedRun]) -> float | None:
        for run in runs:
            due_at = self._connection.value(queries.next_due, (run.id,))
            if due_at is not None:
                self.may_open_at(due_at)
            for partition in self.partitions(run):
                for best in run.priorities:
                    self._look_at_next_head(run, partition, best)
        if math.isinf(self._opens_at):
            return None
        return max(self._opens_at - self.now, 0.0)

    def _look_at_next_head(self, run: ClaimedRun, partition: str, best: int) -> None:
        row = self._connection.row(
            queries.next_head,
            {"run_id": run.id, "partition": partition, "best": best, "now": self.now},
        )
        if row is None:
            return
        wake_at = row[0]
        gates = self.gates.on(row[1], row[2:], run.id, run.scraper_id)
        opens_at = max((gate.opens_at() for gate in gates), default=self.now)
        if opens_at + _CLOCK_TOLERANCE_SECONDS < wake_at:
            # The clock was set back since heads were put to sleep: look at them all again.
            self._connection.execute(queries.wake_paced, {"run_id": run.id, "now": self.now})
            for gate in gates:
                gate.save(self._connection)
            wake_at = opens_at
        self.may_open_at(wake_at)


class Claimer:
    """Makes claims inside the caller's transaction; runs, partitions and heads come in turn."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._random = Random()
        self._turn = 0
        self._cursors = Cursors()

    def claim(self, request: ClaimRequest) -> Claimed:
        now = self._connection.clock.wall()
        if self._is_on_hold(request.worker_id):
            return Claimed([])
        promote_due(self._connection)
        taking = Taking(self._connection, request, now, self._random, self._cursors)
        runs = list(self._runs(request, taking))
        self._turn += 1
        self._take(taking, runs)
        if request.unpaced and taking.wanted and self._woken(runs):
            self._take(taking, runs)
        taking.save(self._settings)
        if taking.wanted:
            return Claimed(taking.leases, taking.seconds_to_next(runs))
        return Claimed(taking.leases)

    def _take(self, taking: Taking, runs: list[ClaimedRun]) -> None:
        for offset in range(len(runs)):
            taking.take_from(runs[(self._turn + offset) % len(runs)], self._turn)
            if not taking.wanted:
                break

    def _woken(self, runs: list[ClaimedRun]) -> bool:
        """Wake heads that wait for their lanes; returns whether there were any."""
        woken = [
            self._connection.execute_counting(queries.wake_run, {"run_id": run.id}) for run in runs
        ]
        return any(woken)

    def _is_on_hold(self, worker_id: int) -> bool:
        """Whether the worker is paused or gone."""
        row = self._connection.row(
            queries.worker_hold, (self._connection.clock.monotonic(), posix.boot_id(), worker_id)
        )
        return row is None or bool(row[0])

    def _runs(self, request: ClaimRequest, taking: Taking) -> Iterator[ClaimedRun]:
        found = queries.open_and_paused_runs if request.unpaced else queries.open_runs
        for row in self._connection.rows(found):
            if request.runs is not None and row[1] not in request.runs:
                continue
            if request.scrapers is not None and row[2] not in request.scrapers:
                continue
            if row[6] and not request.unpaced:
                self._connection.execute(queries.serve_run, (row[0], request.worker_id))
            gate = taking.gates.of_scraper(row[7], row[8:])
            if gate is not None and not gate.left:
                taking.may_open_at(gate.opens_at())
                continue
            yield ClaimedRun(
                row[0],
                row[3],
                request.strategy or Strategy(row[4]),
                priorities_in(row[5]),
                row[7],
                gate,
            )
