"""One claim in progress. No twin: PostgreSQL claims with one statement (ask.py)."""

import math
import time
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from swather.model.event import EventKind
from swather.model.lease import ClaimRequest, Lease, Strategy, draw
from swather.model.payload import decode
from swather.model.retry import Faults
from swather.model.task import State
from swather.store.gate import slowest
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import Gate, scraper_gate
from swather.store.sqlite.heads import ClaimedRun, Cursors, Head, Walk
from swather.store.sqlite.ready import change_counters
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

_NO_FAULTS: Final = Faults()
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
        self._connection = connection
        self._request = request
        self._random = random
        self._walk = Walk(connection, request, now, cursors)
        self._token = 0
        self._claimed_at = time.monotonic()
        self._opens_at = math.inf
        self._scraper_gates: dict[int, Gate | None] = {}
        self._taken: dict[int, int] = {}

    def may_open_at(self, at: float) -> None:
        self._opens_at = min(self._opens_at, at)

    def scraper_gate(self, lane_id: int, row: tuple[Any, ...]) -> Gate | None:
        if lane_id not in self._scraper_gates:
            self._scraper_gates[lane_id] = scraper_gate(
                self._connection, lane_id, row, self.now, self._request.count
            )
        return self._scraper_gates[lane_id]

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

    def take_from(self, run: ClaimedRun) -> None:
        for partition in self.partitions(run):
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
        picked = self._pick(run, quotas, priorities)
        taken = sum(len(rows) for rows in picked.values())
        if taken:
            self._lease(run, partition, {head.id: head for head in heads}, picked)
        if run.gate is not None:
            run.gate.take(taken)
        for head in heads:
            if head.id not in quotas:
                continue
            got = len(picked[head.id])
            for gate in head.gates:
                gate.take(got)
            if got < quotas[head.id]:
                self._walk.tidy(head)
            elif head.is_closed:
                self.may_open_at(self._walk.sleep(head))
        return taken

    def _quotas(self, run: ClaimedRun, heads: list[Head], count: int) -> dict[int, int]:
        """How many to take from each head: equal shares, as far as the gates allow."""
        if run.gate is not None:
            count = min(count, run.gate.left)
        quotas: dict[int, int] = {}
        share = math.ceil(count / max(len(heads), 1))
        for head in heads:
            quota = min([share, count, *(gate.left for gate in head.gates)])
            if quota > 0:
                quotas[head.id] = quota
                count -= quota
        return quotas

    def _pick(
        self, run: ClaimedRun, quotas: dict[int, int], priorities: Sequence[int]
    ) -> dict[int, list[tuple[Any, ...]]]:
        newest = run.strategy is Strategy.LIFO
        picked: dict[int, list[tuple[Any, ...]]] = {head_id: [] for head_id in quotas}
        rows = self._connection.many_rows(
            queries.pick_newest if newest else queries.pick_oldest,
            [
                (head_id, priority, quota)
                for head_id, quota in quotas.items()
                for priority in priorities
            ],
        )
        for row in rows:
            picked[row[0]].append(row)
        if len(priorities) > 1:
            for head_id, found in picked.items():
                found.sort(key=lambda row: row[2], reverse=newest)
                del found[quotas[head_id] :]
        return picked

    def _lease(
        self,
        run: ClaimedRun,
        partition: str,
        heads: dict[int, Head],
        picked: dict[int, list[tuple[Any, ...]]],
    ) -> None:
        if not self._token:
            self._token = self._connection.value(queries.next_token)
        ranges: dict[tuple[int, int], tuple[int, int]] = {}
        replacing = []
        taken = 0
        for head_id, found in picked.items():
            head = heads[head_id]
            gates = head.gates if run.gate is None else [*head.gates, run.gate]
            every_seconds = slowest(gates) if gates else 0.0
            for row in found:
                priority, task_id = row[1], row[2]
                low, high = ranges.get((head_id, priority), (task_id, task_id))
                ranges[head_id, priority] = min(low, task_id), max(high, task_id)
                outdated = row[13] is not None and row[13] != run.version
                if row[10] or outdated:
                    replacing.append((task_id,))
                self.leases.append(
                    self._lease_of(run, partition, head, row, every_seconds, outdated=outdated)
                )
            taken += len(found)
        # The picked tasks of a priority are all there are in their range: nobody else is writing.
        lease = self._token, self._request.worker_id, run.id
        self._connection.executemany(
            queries.add_leases,
            [
                (*key, *ends, *lease, self._lane_charged(heads[key[0]]), self.now)
                for key, ends in ranges.items()
            ],
        )
        self._connection.executemany(
            queries.take_ready, [(*key, *ends) for key, ends in ranges.items()]
        )
        self._connection.executemany(queries.mark_leases, replacing)
        self._taken[run.id] = self._taken.get(run.id, 0) + taken
        self.wanted -= taken

    def _lane_charged(self, head: Head) -> int:
        """The lane on which the lease counts as in flight: none, if it touches no site."""
        return 0 if self._request.unpaced else head.lane_id

    def _lease_of(
        self,
        run: ClaimedRun,
        partition: str,
        head: Head,
        row: tuple[Any, ...],
        every_seconds: float,
        *,
        outdated: bool,
    ) -> Lease:
        resumes = row[11] is not None and not outdated
        return Lease(
            task_id=row[2],
            token=self._token,
            run_id=run.id,
            target=decode(row[3]),
            priority=row[1],
            lane=head.lane,
            partition=partition,
            parent_id=row[4],
            faults=_NO_FAULTS if row[5] is None else Faults(*row[5:10]),
            part=row[11] if resumes else 0,
            cursor=decode(row[12]) if resumes else None,
            claimed_at=self._claimed_at,
            every_seconds=every_seconds,
        )

    def save(self, settings: SQLiteSettings) -> None:
        """Write the paces of the lanes, the counters and the log."""
        self._walk.save()
        for gate in self._scraper_gates.values():
            if gate is not None:
                gate.save(self._connection)
        deltas = {}
        for run_id, count in self._taken.items():
            deltas[run_id, str(State.READY)] = -count
            deltas[run_id, str(State.LEASED)] = count
        change_counters(self._connection, deltas)
        if settings.event_level.logs(EventKind.CLAIMED):
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
        gates = self._walk.gates(run, row[1], row[2:])
        opens_at = max((gate.opens_at() for gate in gates), default=self.now)
        if opens_at + _CLOCK_TOLERANCE_SECONDS < wake_at:
            # The clock was set back since heads were put to sleep: look at them all again.
            self._connection.execute(queries.wake_paced, {"run_id": run.id, "now": self.now})
            for gate in gates:
                gate.save(self._connection)
            wake_at = opens_at
        self.may_open_at(wake_at)
