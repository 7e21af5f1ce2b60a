"""Which workers serve which runs, and what ends with a worker."""

from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries
from swather.store.sqlite.wake import wake_full


def serve(connection: Connection, worker_id: int, run_id: int) -> None:
    """The worker serves a run from now on."""
    connection.execute(queries.serve_run, (run_id, worker_id))


def leave(connection: Connection, worker_id: int) -> None:
    """The worker is gone: the limits of its runs and its requests no longer count."""
    for (run_id,) in connection.rows(queries.stop_serving, (worker_id,)):
        connection.execute(queries.wake_lanes_of_run, {"run_id": run_id})
    wake_full(connection, [row[0] for row in connection.rows(queries.end_requests, (worker_id,))])
