"""Sweep: lost workers' leases go back, due tasks become ready, small chores are done."""

from collections.abc import Collection
from typing import Any, Final

from swather import posix
from swather.model.worker import Process, Swept
from swather.store.ports import LEARNED_SECONDS
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.claim import Claimer
from swather.store.postgres.connection import Connection
from swather.store.postgres.proxy_leases import end_stray_leases
from swather.store.postgres.ready import promote_due, wake, wake_full
from swather.store.postgres.repace import forget_paces
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries

BATCH: Final = 1_000
MAX_BATCHES: Final = 100
MAX_PROMOTIONS: Final = 10
MANY_COUNTERS: Final = 1_000
ROLL_UP_BATCH: Final = 10_000
MAX_ROLL_UPS: Final = 10


class Sweeper:
    """Any worker may sweep at any time: each step is one transaction and changes what it saw."""

    def __init__(
        self, connection: Connection, settings: PostgresSettings, claimer: Claimer
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._claimer = claimer

    def sweep(self, dead: Collection[int]) -> Swept:
        # First: the rest may have to wait for their locks.
        self._connection.end_silent()
        self._connection.execute(queries.clamp_leases)
        late, gone = self._lost_workers(dead)
        workers: list[str] = []
        if late or gone:
            workers = self._connection.transact(lambda: self._give_up([*late, *gone], gone))
        tasks = 0
        for _ in range(MAX_BATCHES):
            returned = self._return_lost()
            tasks += returned
            if returned < BATCH:
                break
        promoted = 0
        for _ in range(MAX_PROMOTIONS):
            count = promote_due(self._connection, self._claimer.returned)
            promoted += count
            if not count:
                break
        self._do_chores()
        return Swept(workers=tuple(workers), tasks=tasks, promoted=promoted)

    def _lost_workers(self, dead: Collection[int]) -> tuple[list[int], list[int]]:
        """Ids of live rows: those past their lease, and those whose process is known to be gone."""
        late, gone = [], []
        for row in self._connection.rows(queries.live_workers):
            process = Process(
                host=row[1], boot_id=row[2], namespace=row[3], pid=row[4], started=row[5]
            )
            if row[0] in dead or posix.is_dead(process):
                gone.append(row[0])
            elif row[6]:
                late.append(row[0])
        return late, gone

    def _give_up(self, workers: list[int], gone: list[int]) -> list[str]:
        rows = self._connection.rows(
            queries.give_up_workers, {"workers": Bigints(workers), "dead": Bigints(gone)}
        )
        if rows:
            leave(self._connection)
            self._settings.bump_control_version()
        return [row[1] for row in rows]

    def _return_lost(self) -> int:
        def work() -> list[tuple[Any, ...]]:
            rows = self._connection.rows(queries.return_lost, {"limit": BATCH})
            wake(self._connection, [(row[0], row[1]) for row in rows])
            wake_full(self._connection, [row[3] for row in rows])
            return rows

        rows = self._connection.transact(work)
        for row in rows:
            self._claimer.returned(row[0], row[1], row[2])
        return len(rows)

    def _do_chores(self) -> None:
        self._connection.transact(lambda: leave(self._connection))
        self._connection.execute(queries.end_cool_downs)
        forget_paces(self._connection, LEARNED_SECONDS)
        if not self._connection.value(queries.many_counters, {"many": MANY_COUNTERS}):
            return
        for _ in range(MAX_ROLL_UPS):
            rolled = self._connection.value(queries.roll_up_counters, {"limit": ROLL_UP_BATCH})
            if rolled < ROLL_UP_BATCH:
                return


def leave(connection: Connection) -> None:
    """Workers that are not alive own no partition and no proxy, and neither their requests nor the
    limits of their runs count any more.
    """
    connection.execute(queries.free_partitions)
    for run_id in sorted({row[0] for row in connection.rows(queries.stop_serving)}):
        connection.execute(queries.wake_lanes_of_run, {"run_id": run_id})
    wake_full(connection, [row[0] for row in connection.rows(queries.end_requests)])
    end_stray_leases(connection)
