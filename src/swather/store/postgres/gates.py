"""The gates of a claim: what it may start on a lane or for a scraper, and the new pace."""

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from swather.model.pacing import Limits, Pace, strictest
from swather.store.gate import BaseGate, slowest
from swather.store.postgres.arrays import Bigints, Floats, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


class Gate(BaseGate):
    """One locked row during one claim; allowance is reserved before it is used."""

    def reserve(self, count: int) -> int:
        """Reserve at most `count` of what is left; unused reservations cost nothing."""
        granted = min(count, self.left)
        self.left -= granted
        return granted

    def give_back(self, count: int) -> None:
        self.left += count


# By lane and scraper.
Probes = dict[tuple[int, int], Gate]


def probe_gates(rows: list[tuple[Any, ...]]) -> Probes:
    """The gates of rows of queries.probes: one task at a time, and one per interval."""
    return {
        (lane_id, scraper_id): Gate(
            lane_id, Limits(every, 1, 1), Pace(probe_at, in_flight=in_flight), now, 1
        )
        for lane_id, scraper_id, probe_at, every, now, in_flight in rows
    }


def lane_gate(row: tuple[Any, ...], limits: Limits, wanted: int) -> Gate:
    """The gate of a row of queries.lock_heads."""
    tat, paused, cool_until, now, in_flight = row[9:14]
    return Gate(row[1], limits, Pace(tat, paused, cool_until, in_flight), now, wanted)


@lru_cache(maxsize=1_000)
def limits_together(lane: tuple[Any, ...], of_runs: tuple[Any, ...]) -> Limits:
    """The strictest of a lane's limits and those of the runs on it."""
    return strictest(Limits(*lane), Limits(*of_runs))


def scraper_gate(row: tuple[Any, ...], wanted: int) -> Gate:
    """The gate of a row of queries.lock_scrapers."""
    lane_id, every, burst, in_flight, tat, paused, cool_until, now, flying = row
    limits = Limits(every, burst, in_flight)
    return Gate(lane_id, limits, Pace(tat, paused, cool_until, flying), now, wanted)


class Passing:
    """The locked lanes of one claim with their open breakers, and the scraper's row if that is
    limited.
    """

    def __init__(
        self,
        rows: list[tuple[Any, ...]],
        scraper: Gate | None,
        probes: Probes,
        wanted: int,
    ) -> None:
        self._scraper = scraper
        self._probes = probes
        self._wanted = wanted
        self._gates: dict[int, Gate] = {}
        self._rows = {row[0]: row for row in rows}
        self._by_head: dict[int, list[Gate]] = {}
        for head_id, row in self._rows.items():
            gate = self._gates.get(row[1])
            if gate is None:
                limits = limits_together(row[3:6], row[6:9])
                gate = self._gates[row[1]] = lane_gate(row, limits, wanted)
            probe = probes.get((row[1], row[15]))
            self._by_head[head_id] = [gate] if probe is None else [gate, probe]

    @property
    def has_rates(self) -> bool:
        gates = [*self._gates.values(), *self._probes.values()]
        gates += [self._scraper] if self._scraper else []
        return any(gate.limits.every_seconds for gate in gates)

    def every_seconds(self, heads: Iterable[int]) -> dict[int, float]:
        """The longest interval that applies to each of these heads."""
        of_scraper = self._scraper.limits.every_seconds if self._scraper else 0.0
        return {
            head_id: max(of_scraper, slowest(self._by_head.get(head_id, ()))) for head_id in heads
        }

    def admit(self, head_id: int, limited: bool, quota: int) -> int:
        """How much of a quota may be used."""
        gates = self._by_head.get(head_id, [])
        if limited and not gates:
            return 0
        passed: list[Gate] = []
        for gate in gates if self._scraper is None else [*gates, self._scraper]:
            granted = gate.reserve(quota)
            for earlier in passed:
                earlier.give_back(quota - granted)
            quota = granted
            passed.append(gate)
        return quota

    def save(self, connection: Connection, passed: Counter[int]) -> None:
        """Inside the transaction that has the rows locked: charge what has passed (by head), and
        put closed heads to sleep.
        """
        gates = list(self._gates.values())
        for head_id, passing in self._by_head.items():
            for gate in passing:
                gate.passed += passed[head_id]
        if self._scraper is not None:
            self._scraper.passed += passed.total()
            gates.append(self._scraper)
        save_paces(connection, gates)
        for (lane_id, scraper_id), probe in self._probes.items():
            if probe.needs_saving:
                this = {"lane_id": lane_id, "scraper_id": scraper_id}
                connection.execute(
                    queries.save_probe, {**this, "probe_at": probe.after().due_at}, hot=True
                )
        self._save_heads(connection)

    def _save_heads(self, connection: Connection) -> None:
        changes = []
        for head_id, passing in self._by_head.items():
            gate = max(passing, key=lambda gate: gate.opens_at())
            opens_at = gate.opens_at()
            is_free = self._rows[head_id][2]
            if opens_at > gate.now:
                changes.append((head_id, opens_at, gate.sleep_reason()))
            elif not is_free:
                changes.append((head_id, -math.inf, ""))
        if changes:
            heads, wake_at, asleep = (list(column) for column in zip(*changes, strict=True))
            connection.execute(
                queries.sleep_heads,
                {"heads": Bigints(heads), "wake_at": Floats(wake_at), "asleep": Texts(asleep)},
                hot=True,
            )


def save_paces(connection: Connection, gates: list[Gate]) -> None:
    changed = [gate for gate in gates if gate.needs_saving]
    if changed:
        connection.execute(
            queries.save_paces,
            {
                "lanes": Bigints(gate.lane_id for gate in changed),
                "tats": Floats(gate.after().due_at for gate in changed),
            },
            hot=True,
        )
