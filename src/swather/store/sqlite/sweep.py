"""Sweep: lost workers' leases go back, due tasks become ready."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from swather import posix
from swather.model.outcome import Released
from swather.model.payload import MAX_ITEM_BYTES, encode
from swather.model.task import EventKind, State
from swather.model.worker import Process, Swept
from swather.store.finish_rows import HeldLease
from swather.store.finishing import NOTHING
from swather.store.ports import LEARNED_SECONDS, Fence
from swather.store.sqlite import wall_clock
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.finish import Finisher
from swather.store.sqlite.proxy_leases import end_leases, end_stray_leases
from swather.store.sqlite.ready import change_counters, make_ready, promote_due, wake_full
from swather.store.sqlite.repace import forget_paces
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

_MAX_PROMOTIONS: Final = 10
# How long an ended cool-down is shown.
_COOLED_SECONDS: Final = 60.0


class Sweeper:
    """Any worker may sweep at any time: each step is one transaction and changes what it saw."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._finisher = Finisher(connection, settings)

    def sweep(self, dead: Collection[int]) -> Swept:
        with self._connection.transaction():
            wall_clock.follow(self._connection)
            lost = self._lost_workers(dead)
            for worker in lost:
                self._give_up(worker[0])
            ids = encode([worker[0] for worker in lost])
            leases = [
                HeldLease(*row)
                for row in self._connection.rows(queries.lost_leases, {"workers": ids})
            ]
            self._return(leases)
            if lost:
                self._settings.bump_control_version()
            self._do_chores()
        promoted = 0
        for _ in range(_MAX_PROMOTIONS):
            with self._connection.transaction():
                count = promote_due(self._connection)
            promoted += count
            if not count:
                break
        return Swept(
            workers=tuple(worker[1] for worker in lost), tasks=len(leases), promoted=promoted
        )

    def _do_chores(self) -> None:
        ended = self._connection.clock.wall() - _COOLED_SECONDS
        self._connection.execute(queries.end_cool_downs, {"before": ended})
        forget_paces(self._connection, LEARNED_SECONDS)
        end_stray_leases(self._connection)

    def give_back(self, fences: Iterable[Fence]) -> None:
        """Leases return to the queue as if they had never been claimed."""
        released = [Released(task_id=task_id, token=token) for task_id, token in fences]
        if released:
            self._finisher.finish(released, [NOTHING] * len(released))

    def _lost_workers(self, dead: Collection[int]) -> list[tuple[int, str]]:
        """(id, name) of live rows whose worker is not."""
        now = self._connection.clock.monotonic()
        lost = []
        for row in self._connection.rows(queries.live_workers):
            process = Process(
                host=row[2], boot_id=row[3], namespace=row[4], pid=row[5], started=row[6]
            )
            # The monotonic clock starts over with each boot, and so do all processes.
            gone = row[0] in dead or process.boot_id != posix.boot_id() or row[7] <= now
            if gone or posix.is_dead(process):
                lost.append(row[:2])
        return lost

    def _give_up(self, number: int) -> None:
        self._connection.execute(queries.give_up_worker, (number,))
        leave(self._connection, number)

    def _return(self, leases: list[HeldLease]) -> None:
        """Lost leases become ready again, counted as a crash and not as an attempt."""
        if not leases:
            return
        now = self._connection.clock.wall()
        self._connection.execute(
            queries.drop_leases,
            (encode([lease.task_id for lease in leases], max_bytes=MAX_ITEM_BYTES),),
        )
        make_ready(
            self._connection, [(lease.head_id, lease.priority, lease.task_id) for lease in leases]
        )
        self._connection.executemany(
            queries.add_crash, [(lease.task_id, lease.run_id, now) for lease in leases]
        )
        deltas: dict[tuple[int, str], int] = defaultdict(int)
        for lease in leases:
            deltas[lease.run_id, State.LEASED] -= 1
            deltas[lease.run_id, State.READY] += 1
        change_counters(self._connection, deltas)
        wake_full(self._connection, [lease.lane_id for lease in leases])
        if self._settings.logs(EventKind.SWEPT):
            self._connection.executemany(
                queries.add_events,
                [
                    ("swept", lease.run_id, lease.task_id, lease.worker_id, "lease lost", None, now)
                    for lease in leases
                ],
            )


def leave(connection: Connection, worker_id: int) -> None:
    """The worker is gone: it owns no partition and no proxy, and neither its requests nor the
    limits of its runs count any more.
    """
    connection.execute(queries.free_partitions, (worker_id,))
    end_leases(connection, worker_id)
    for (run_id,) in connection.rows(queries.stop_serving, (worker_id,)):
        connection.execute(queries.wake_lanes_of_run, {"run_id": run_id})
    wake_full(connection, [row[0] for row in connection.rows(queries.end_requests, (worker_id,))])
