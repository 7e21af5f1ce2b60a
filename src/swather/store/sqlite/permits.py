"""Permits for further requests of a task, at the pace of their lane."""

import time
from typing import NamedTuple

from swather.model.lease import Permits
from swather.model.pacing import NO_LIMITS, Limits
from swather.store.finish_rows import HeldLease
from swather.store.gate import FULL, grant, refusal, slowest
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import Gate, LimitingRuns, lane_gate
from swather.store.sqlite.ready import wake_full
from swather.store.sqlite.statements import queries


class PermitRequest(NamedTuple):
    """A task asks for `wanted` requests on a lane. `in_flight`: how many its worker has there
    already; None when the lease covers the request. `limits` apply in place of those of runs.
    """

    lease: HeldLease
    lane_id: int
    wanted: int
    in_flight: int | None
    gives_up: bool
    ahead_seconds: float
    limits: Limits | None = None


class Permitter:
    """Answers inside the caller's transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def give(self, request: PermitRequest) -> Permits:
        lease = request.lease
        granted_at = time.monotonic()
        if request.in_flight is not None:
            self._set(lease.worker_id, request.lane_id, request.in_flight)
        gates, is_counted = self._gates(request)
        granted, starts_in_seconds = grant(gates, request.wanted, request.ahead_seconds)
        for gate in gates:
            gate.take(granted)
            gate.save(self._connection)
        if granted:
            if request.in_flight is not None and is_counted:
                self._set(lease.worker_id, request.lane_id, request.in_flight + granted)
            every_seconds = slowest(gates)
            return Permits(
                granted,
                is_free=not every_seconds,
                is_counted=is_counted,
                granted_at=granted_at,
                every_seconds=every_seconds,
                starts_in_seconds=starts_in_seconds,
            )
        refused = refusal(gates)
        if refused.hold == FULL and request.gives_up and lease.lane_id:
            self._connection.execute(queries.stop_counting_lease, (lease.task_id, lease.token))
            wake_full(self._connection, [lease.lane_id])
        return refused

    def set_in_flight(self, worker_id: int, lane_id: int, n: int) -> None:
        self._set(worker_id, lane_id, n)
        wake_full(self._connection, [lane_id])

    def _gates(self, request: PermitRequest) -> tuple[list[Gate], bool]:
        """The gates for the requests, and whether the lane counts requests in flight."""
        run_id = request.lease.run_id
        this = {
            "lane_id": request.lane_id,
            "run_id": run_id,
            "worker_id": request.lease.worker_id,
        }
        if request.lane_id and request.limits is None:
            # From now on the run is on this lane, and its limits apply there.
            self._connection.execute(queries.join_lane, this)
        now = self._connection.clock.wall()
        gates = []
        is_counted = False
        for number, *row in self._connection.rows(queries.paces, this):
            is_lane = number == request.lane_id
            of_runs = NO_LIMITS
            if request.limits is not None:
                if not is_lane:
                    continue  # what it does on this lane is charged to the scraper elsewhere
                of_runs = request.limits
            elif is_lane:
                of_runs = LimitingRuns(self._connection).on(number, row[7], run_id)
                is_counted = row[3] is not None or of_runs.in_flight is not None
            if not is_lane or request.in_flight is None:
                # A lease's own request is in flight already.
                row[3], of_runs = None, of_runs.without_in_flight()
            gate = lane_gate(self._connection, number, tuple(row), of_runs, now, request.wanted)
            if gate is not None:
                gates.append(gate)
        return gates, is_counted

    def _set(self, worker_id: int, lane_id: int, n: int) -> None:
        this = {"worker_id": worker_id, "lane_id": lane_id, "n": n}
        self._connection.execute(queries.set_requests if n else queries.no_requests, this)
