"""Who works on which run, and what is over when a worker is gone."""

from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries
from swather.store.sqlite.wake import wake_full


def serve(connection: Connection, worker_id: int, run_id: int) -> None:
    """A worker works on a run from now on."""
    connection.execute(queries.serve_run, (run_id, worker_id))


def leave(connection: Connection, worker_id: int) -> None:
    """The worker is gone: nobody waits for the limits of its runs, nor for its requests."""
    for (run_id,) in connection.rows(queries.stop_serving, (worker_id,)):
        connection.execute(queries.wake_lanes_of_run, {"run_id": run_id})
    wake_full(connection, [row[0] for row in connection.rows(queries.end_requests, (worker_id,))])
