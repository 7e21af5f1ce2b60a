"""Permits for further requests of a task, at the pace of their lane."""

from typing import NamedTuple

from swather.model.pacing import NO_LIMITS
from swather.store.finishing import HeldLease
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import Gate, lane_gate
from swather.store.sqlite.limiting import LimitingRuns
from swather.store.sqlite.statements import queries


class PermitRequest(NamedTuple):
    """A task asks for `wanted` requests on a lane. `in_flight`: how many its worker has there
    already; None when the lease covers the request.
    """

    lease: HeldLease
    lane_id: int
    wanted: int
    in_flight: int | None


def permit_gates(connection: Connection, request: PermitRequest) -> tuple[list[Gate], bool]:
    """The gates for the requests, and whether the lane counts requests in flight."""
    this = {
        "lane_id": request.lane_id,
        "run_id": request.lease.run_id,
        "worker_id": request.lease.worker_id,
    }
    if request.lane_id:
        # From now on the run is on this lane, and its limits apply there.
        connection.execute(queries.join_lane, this)
    now = connection.clock.wall()
    gates = []
    is_counted = False
    for number, *row in connection.rows(queries.paces, this):
        is_lane = number == request.lane_id
        of_runs = NO_LIMITS
        if is_lane:
            of_runs = LimitingRuns(connection).on(number, row[7], request.lease.run_id)
            is_counted = row[3] is not None or of_runs.in_flight is not None
        counts = is_lane and request.in_flight is not None
        if not counts:
            # A lease's own request is in flight already.
            row[3], of_runs = None, of_runs.without_in_flight()
        gate = lane_gate(connection, number, tuple(row), of_runs, now, request.wanted)
        if gate is not None:
            gates.append(gate)
    return gates, is_counted
