"""Claim: from runs to heads to tasks, as pauses, limits and the strategy allow."""

from collections.abc import Iterator
from random import Random

from swather import posix
from swather.model.lease import Claimed, ClaimRequest, Strategy, priorities_in
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.heads import ClaimedRun, Cursors
from swather.store.sqlite.ready import promote_due
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries
from swather.store.sqlite.taking import Taking


class Claimer:
    """Makes claims inside the caller's transaction; runs and heads come in turn."""

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
            taking.take_from(runs[(self._turn + offset) % len(runs)])
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
            gate = None if request.unpaced else taking.scraper_gate(row[7], row[8:])
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
