"""`swather health`: for whatever watches a container or a machine with a worker on it."""

from typing import Final

from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather health
swather health --json"""


def command(db: Database = None, as_json: AsJSON = False) -> int:
    """Say whether a worker of this machine is alive.

    Exit code 0 if a worker here has renewed its leases in time, 1 if none has, 3 if the database
    cannot be reached. In a container, only workers of that container count. Do not restart a worker
    because of 3: it waits for the database, and keeps what it has done.
    """
    from swather import posix
    from swather.cli import database, output

    with database.opened(db) as store:
        found = store.workers.find_beside(posix.this_process())
    alive = [worker for worker in found if worker.silent_seconds < worker.lease_seconds]
    if as_json:
        output.print_json(
            [
                {
                    "worker": worker.name,
                    "worker_id": worker.id,
                    "alive": worker in alive,
                    "silent_seconds": round(worker.silent_seconds, 1),
                }
                for worker in found
            ]
        )
    for worker in () if as_json else found:
        is_alive = "alive" if worker in alive else "silent"
        print(f"{worker.name} is {is_alive}; it last said so {worker.silent_seconds:.0f} s ago")
    if not found and not as_json:
        print("no worker is alive on this machine")
    return 0 if alive else FINISHED_WITH_FAILURES
