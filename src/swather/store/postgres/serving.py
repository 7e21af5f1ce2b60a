"""Which workers serve which runs, and what ends with a worker."""

from collections.abc import Collection

from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries
from swather.store.postgres.wake import wake_full


class Serving:
    """The runs that this worker is known to serve."""

    def __init__(self, connection: Connection, worker_id: int) -> None:
        self._connection = connection
        self._worker_id = worker_id
        self._known: set[int] = set()

    def serve(self, runs: Collection[int]) -> None:
        """The worker serves these runs from now on: their limits apply to their lanes."""
        new = set(runs) - self._known
        if new:
            self._connection.execute(
                queries.serve_runs,
                {"runs": Bigints(sorted(new)), "worker_id": self._worker_id},
                hot=True,
            )
            if not self._connection.in_transaction:
                self._known = set(runs)


def leave(connection: Connection) -> None:
    """These workers are gone: the limits of their runs and their requests no longer count."""
    for run_id in sorted({row[0] for row in connection.rows(queries.stop_serving)}):
        connection.execute(queries.wake_lanes_of_run, {"run_id": run_id})
    wake_full(connection, [row[0] for row in connection.rows(queries.end_requests)])
