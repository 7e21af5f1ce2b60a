"""Gates: what may start on a lane or for a scraper under all limits there, and the new pace."""

from typing import Any

from swather.model.lease import ClaimRequest
from swather.model.pacing import NO_LIMITS, Limits, Pace, strictest
from swather.store.gate import BaseGate
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class Gate(BaseGate):
    """One paced row during one claim. The row's `tat` is on the monotonic clock, which nobody sets;
    everything here is on the wall clock, which is ahead of it by `ahead_seconds`.
    """

    def __init__(
        self,
        lane_id: int,
        limits: Limits,
        pace: Pace,
        now: float,
        wanted: int,
        ahead_seconds: float = 0.0,
    ) -> None:
        super().__init__(lane_id, limits, pace, now, wanted)
        self._ahead_seconds = ahead_seconds

    def take(self, count: int) -> None:
        self.left -= count
        self.passed += count

    def save(self, connection: Connection) -> None:
        if self.needs_saving:
            tat = self.after().due_at - self._ahead_seconds
            connection.execute(queries.save_pace, (tat, self.lane_id))


class Probe(Gate):
    """An open breaker: one task at a time, and one per interval."""

    def __init__(
        self, lane_id: int, scraper_id: int, limits: Limits, pace: Pace, now: float
    ) -> None:
        super().__init__(lane_id, limits, pace, now, 1)
        self._scraper_id = scraper_id

    def save(self, connection: Connection) -> None:
        if self.needs_saving:
            connection.execute(
                queries.save_probe,
                {
                    "lane_id": self.lane_id,
                    "scraper_id": self._scraper_id,
                    "probe_at": self.after().due_at,
                },
            )


class LimitingRuns:
    """The runs with lane limits that have workers, as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runs: list[tuple[Any, ...]] | None = None
        self._known: dict[int, Limits] = {}

    def on(self, lane_id: int, is_public: bool | None, run_id: int = 0) -> Limits:
        """The strictest limits of the runs on the lane; `run_id` is one of them."""
        if not lane_id or not self._all():
            return NO_LIMITS
        limits = self._known.get(lane_id)
        if limits is None:
            found = self._on(lane_id, is_public, run_id)
            limits = self._known[lane_id] = strictest(*(limits for limits, _ in found))
        return limits

    def slowest_on(self, lane_id: int, is_public: bool | None) -> str:
        """The run with the longest interval there, "" if none has one."""
        found = [(limits.every_seconds, name) for limits, name in self._on(lane_id, is_public)]
        return max((one for one in found if one[0]), default=(0.0, ""))[1]

    def number_on(self, lane_id: int) -> int:
        return sum(self._is_there(run[0], lane_id) for run in self._all())

    def _on(
        self, lane_id: int, is_public: bool | None, run_id: int = 0
    ) -> list[tuple[Limits, str]]:
        return [
            (Limits(0.0 if is_default and not is_public else every, burst, in_flight), name)
            for number, every, burst, in_flight, is_default, name in self._all()
            if number == run_id or self._is_there(number, lane_id)
        ]

    def _all(self) -> list[tuple[Any, ...]]:
        if self._runs is None:
            self._runs = self._connection.rows(queries.limiting_runs)
        return self._runs

    def _is_there(self, run_id: int, lane_id: int) -> bool:
        return bool(self._connection.row(queries.is_on_lane, (lane_id, run_id)))


class Gates:
    """The gates that one claim meets, one for each lane, scraper and open breaker; none if it is
    unpaced.
    """

    def __init__(self, connection: Connection, request: ClaimRequest, now: float) -> None:
        self._connection = connection
        self._request = request
        self._now = now
        self._limiting = LimitingRuns(connection)
        self._lanes: dict[int, Gate | None] = {}
        self._scrapers: dict[int, Gate | None] = {}
        self._probes: dict[tuple[int, int], Probe | None] = {}

    def of_scraper(self, scraper_id: int, row: tuple[Any, ...]) -> Gate | None:
        if self._request.unpaced:
            return None
        if scraper_id not in self._scrapers:
            self._scrapers[scraper_id] = _scraper_gate(
                self._connection, scraper_id, row, self._now, self._request.count
            )
        return self._scrapers[scraper_id]

    def on(
        self, lane_id: int, row: tuple[Any, ...], run_id: int, scraper_id: int
    ) -> tuple[Gate, ...]:
        """The gates of a run's head on a lane; `row` ends with whether the lane is tripped."""
        if self._request.unpaced:
            return ()
        lane = self._of_lane(lane_id, row, run_id)
        if not row[-1]:
            return () if lane is None else (lane,)
        key = scraper_id, lane_id
        if key not in self._probes:
            self._probes[key] = _probe_gate(self._connection, lane_id, scraper_id, self._now)
        return tuple(gate for gate in (lane, self._probes[key]) if gate is not None)

    def _of_lane(self, lane_id: int, row: tuple[Any, ...], run_id: int) -> Gate | None:
        if lane_id not in self._lanes:
            of_runs = self._limiting.on(lane_id, row[7], run_id)
            self._lanes[lane_id] = lane_gate(
                self._connection, lane_id, row, of_runs, self._now, self._request.count
            )
        return self._lanes[lane_id]

    def save(self) -> None:
        met = (*self._lanes.values(), *self._probes.values(), *self._scrapers.values())
        for gate in met:
            if gate is not None:
                gate.save(self._connection)


def lane_gate(
    connection: Connection,
    lane_id: int,
    row: tuple[Any, ...],
    of_runs: Limits,
    now: float,
    wanted: int,
) -> Gate | None:
    """The gate of a lane row (limited, every, burst, in_flight, tat, paused, cool_until, is_public,
    overrides, set_every) under the limits of the runs on it; None when nothing limits it.
    """
    if not row[0] and of_runs.are_none:
        return None
    if row[8]:
        of_runs = of_runs.overridden_by(Limits(row[9], in_flight=row[3]))
    limits = strictest(Limits(row[1], row[2], row[3]), of_runs)
    in_flight = 0
    if limits.in_flight is not None:
        in_flight = connection.value(queries.lane_in_flight, (lane_id,))
    return _gate(connection, lane_id, limits, row, in_flight, now, wanted)


def _scraper_gate(
    connection: Connection, lane_id: int, row: tuple[Any, ...], now: float, wanted: int
) -> Gate | None:
    if not row[0]:
        return None
    limits = Limits(row[1], row[2], row[3])
    in_flight = 0
    if limits.in_flight is not None:
        in_flight = connection.value(queries.scraper_in_flight, (lane_id,))
    return _gate(connection, lane_id, limits, row, in_flight, now, wanted)


def _probe_gate(connection: Connection, lane_id: int, scraper_id: int, now: float) -> Probe | None:
    """The gate of a scraper on a lane where some breaker is open; None when it is not this one."""
    this = {"lane_id": lane_id, "scraper_id": scraper_id}
    row = connection.row(queries.probe, this)
    if row is None:
        return None
    if lane_id:
        in_flight = connection.value(queries.probes_in_flight, this)
    else:
        in_flight = connection.value(queries.probes_without_lane, {"scraper_id": scraper_id})
    pace = Pace(row[0], in_flight=in_flight)
    return Probe(lane_id, scraper_id, Limits(row[1], 1, 1), pace, now)


def _gate(
    connection: Connection,
    lane_id: int,
    limits: Limits,
    row: tuple[Any, ...],
    in_flight: int,
    now: float,
    wanted: int,
) -> Gate:
    # In this order: a change between the two readings can only make the lane seem busier.
    monotonic = connection.clock.monotonic()
    ahead = connection.clock.wall() - monotonic
    pace = Pace(row[4] + ahead, bool(row[5]), row[6], in_flight)
    return Gate(lane_id, limits, pace, now, wanted, ahead)
