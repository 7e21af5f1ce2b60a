"""Permits for further requests of a task, at the pace of their lane."""

import time
from typing import Any, NamedTuple

from swather.model.lease import Permits
from swather.model.pacing import Limits, Pace
from swather.store.gate import FULL, grant, refusal, slowest
from swather.store.ports import Fence
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.gates import Gate, limits_together, save_paces
from swather.store.postgres.ready import wake_full
from swather.store.postgres.statements import queries


class PermitRequest(NamedTuple):
    """A task asks for `wanted` requests on a lane. `in_flight`: how many its worker has there
    already; None when the lease covers the request. `limits` apply in place of those of runs.
    """

    fence: Fence
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
        fence = {"task_id": request.fence[0], "token": request.fence[1]}
        this = {**fence, "lane_id": request.lane_id}
        row = self._connection.row(queries.permit_lease, this, hot=True)
        if row is None:
            return Permits(0)
        worker_id, run_id, own_lane_id, scraper_id, *of_runs, is_new = row
        if request.limits is not None:
            # What it does on this lane is charged to the scraper elsewhere.
            of_runs, scraper_id = [request.limits.every_seconds, request.limits.burst, None], 0
        elif is_new:
            # From now on the run is on this lane, and its limits apply there.
            self._connection.execute(queries.join_lane, {**this, "run_id": run_id}, hot=True)
        granted_at = time.monotonic()
        gates, is_counted = self._gates(request, worker_id, scraper_id, tuple(of_runs))
        granted, starts_in_seconds = grant(gates, request.wanted, request.ahead_seconds)
        for gate in gates:
            gate.passed = granted
        save_paces(self._connection, gates)
        if granted:
            if request.in_flight is not None and is_counted:
                self._set(worker_id, request.lane_id, request.in_flight + granted)
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
        if refused.hold == FULL and request.gives_up and own_lane_id:
            self._connection.execute(queries.stop_counting_lease, fence, hot=True)
            wake_full(self._connection, [own_lane_id])
        return refused

    def set_in_flight(self, worker_id: int, lane_id: int, n: int) -> None:
        self._set(worker_id, lane_id, n)
        wake_full(self._connection, [lane_id])

    def _gates(
        self, request: PermitRequest, worker_id: int, scraper_id: int, of_runs: tuple[Any, ...]
    ) -> tuple[list[Gate], bool]:
        """The gates for the requests, and whether the lane counts requests in flight."""
        limited_by_runs = not Limits(*of_runs).are_none
        rows = self._connection.rows(
            queries.lock_limited_lanes,
            {
                "lanes": Bigints([request.lane_id, scraper_id]),
                "paced": Bigints([request.lane_id] if limited_by_runs else []),
            },
            hot=True,
        )
        gates = []
        is_counted = False
        for number, every, burst, most, tat, paused, cool_until, now in rows:
            flying = 0
            # A scraper's limit in flight counts tasks, and this one is counted already.
            limits = Limits(every, burst)
            if number == request.lane_id:
                limits = limits_together((every, burst, most), of_runs)
                is_counted = limits.in_flight is not None
                if request.in_flight is None:
                    limits = limits.without_in_flight()
                elif is_counted:
                    self._set(worker_id, number, request.in_flight)
                    flying = self._connection.value(
                        queries.lane_in_flight, {"lane_id": number}, hot=True
                    )
            gates.append(
                Gate(number, limits, Pace(tat, paused, cool_until, flying), now, request.wanted)
            )
        return gates, is_counted

    def _set(self, worker_id: int, lane_id: int, n: int) -> None:
        this = {"worker_id": worker_id, "lane_id": lane_id, "n": n}
        self._connection.execute(queries.set_requests if n else queries.no_requests, this, hot=True)
