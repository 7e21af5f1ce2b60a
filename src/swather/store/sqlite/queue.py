"""The queue: claim, finish, checkpoint, permits; every write fenced by its token."""

import math
import time
from collections.abc import Collection, Sequence
from typing import Any

from swather.errors import InputError
from swather.model.event import EventKind
from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.outcome import File, Item, Outcome, Standing, Verdict
from swather.model.pacing import NO_LIMITS, Limits
from swather.model.payload import encode
from swather.model.task import Target, check_name
from swather.store.finishing import Plan, prepare, prepare_results
from swather.store.ports import Fence, Finished
from swather.store.sqlite.claim import Claimer
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.finish import MAX_CHILDREN, Finisher
from swather.store.sqlite.gates import lane_gate
from swather.store.sqlite.names import lane_id
from swather.store.sqlite.settings import SQLiteSettings, queries


class SQLiteQueue:
    """See swather.store.ports.Queue."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._claimer = Claimer(connection, settings)
        self._finisher = Finisher(connection, settings)

    def claim(self, request: ClaimRequest) -> Claimed:
        with self._connection.transaction():
            return self._claimer.claim(request)

    def finish(self, outcomes: Sequence[Outcome], claim: ClaimRequest | None = None) -> Finished:
        prepared = []
        for outcome in outcomes:
            payload = prepare(outcome)
            if len(payload.children) > MAX_CHILDREN:
                rest = self._finisher.add_children_ahead(outcome.fence, payload.children)
                payload = payload._replace(children=list(rest))
            prepared.append(payload)
        with self._connection.transaction():
            verdicts = self._finisher.finish(outcomes, prepared) if outcomes else []
            claimed = self._claimer.claim(claim) if claim is not None else None
            return Finished(verdicts, claimed)

    def progress(self, fence: Fence, progress: Any) -> Verdict:
        encoded = encode(progress, what="progress")
        with self._connection.transaction():
            lease = self._finisher.held(fence)
            if lease is None:
                return Verdict.STALE
            self._connection.execute(
                queries.save_progress,
                {"task_id": fence[0], "token": fence[1], "progress": encoded},
            )
            plan = Plan(self._settings.event_level)
            plan.log(EventKind.PROGRESS, lease, encoded[:500])
            self._finisher.write(plan)
            return Verdict.ACCEPTED

    def checkpoint(
        self,
        fence: Fence,
        *,
        part: int,
        cursor: Any,
        items: Sequence[Item] = (),
        children: Sequence[Target] = (),
        files: Sequence[File] = (),
    ) -> Verdict:
        encoded = encode(cursor, what="cursor")
        prepared = prepare_results(items, children, files)
        rest = self._finisher.add_children_ahead(fence, prepared.children)
        with self._connection.transaction():
            lease = self._finisher.held(fence)
            if lease is None:
                return Verdict.STALE
            plan = Plan(self._settings.event_level)
            if lease.replaces:
                self._finisher.drop_replaced([lease.task_id], plan)
                self._connection.execute(
                    "UPDATE leases SET replaces = 0 WHERE task_id = ?", (lease.task_id,)
                )
            plan.produce(lease, part, prepared._replace(children=list(rest)))
            self._finisher.write(plan)
            self._connection.execute(
                queries.save_checkpoint,
                {
                    "task_id": lease.task_id,
                    "run_id": lease.run_id,
                    "part": part + 1,
                    "cursor": encoded,
                    "now": self._connection.clock.wall(),
                },
            )
            return Verdict.ACCEPTED

    def permits(self, fence: Fence, lane: str, count: int = 1) -> Permits:
        check_name("lane", lane)
        if count < 1:
            raise InputError(f"count must be at least 1, got {count!r}")
        with self._connection.transaction():
            lease = self._finisher.held(fence)
            if lease is None:
                return Permits(0)
            number = lane_id(self._connection, lane)
            own = Limits(*self._connection.row(queries.run_lane_limits, (lease.run_id,)) or ())
            # A permit is for one more request of a task that is in flight already.
            rate = Limits(own.every_seconds, own.burst) if number else NO_LIMITS
            now, granted_at = self._connection.clock.wall(), time.monotonic()
            gates = []
            for row in self._connection.rows(
                queries.paces, {"lane_id": number, "run_id": lease.run_id}
            ):
                limits = rate if row[0] == number else NO_LIMITS
                gate = lane_gate(self._connection, row[0], row[1:], limits, now, count)
                if gate is not None:
                    gates.append(gate)
            granted = min([count, *(gate.left for gate in gates)])
            for gate in gates:
                gate.take(granted)
                gate.save(self._connection)
            if granted:
                is_free = not any(gate.limits.every_seconds for gate in gates)
                return Permits(granted, is_free=is_free, granted_at=granted_at)
            last = max(gates, key=lambda gate: gate.opens_at())
            opens_at = last.opens_at()
            wait = None if math.isinf(opens_at) else opens_at - now
            return Permits(0, wait, last.held_by())

    def standing(self, fences: Collection[Fence]) -> dict[Fence, Standing]:
        found = {}
        with self._connection.reading():
            for fence in fences:
                answer = self._connection.value(
                    queries.standing, {"task_id": fence[0], "token": fence[1]}
                )
                found[fence] = Standing(answer)
        return found
