"""`swather health`: for whatever watches a container or a machine with a worker on it."""

from typing import Annotated, Final

import typer

from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather health
swather health --json
swather health --api"""
ANSWER_SECONDS: Final = 5.0


def command(
    api: Annotated[
        bool,
        typer.Option("--api", help="Ask for `swather serve` on this machine instead of workers."),
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Say whether a worker of this machine is alive.

    Exit code 0 if a worker here has renewed its leases in time, 1 if none has, 3 if the database
    cannot be reached. In a container, only workers of that container count. Do not restart a worker
    because of 3: it waits for the database, and keeps what it has done.

    With --api: exit code 0 if the server answers, whether or not its database does, 1 if not.
    """
    if api:
        return _ask_server(as_json=as_json)
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


def _ask_server(*, as_json: bool) -> int:
    import http.client

    from swather.cli import output
    from swather.runs import configuration

    settings = configuration.resolve(None, {}).settings
    host = settings.api_host if settings.api_host not in {"0.0.0.0", "::"} else "127.0.0.1"  # noqa: S104
    server = http.client.HTTPConnection(host, settings.api_port, timeout=ANSWER_SECONDS)
    try:
        server.request("GET", "/login")
        status = server.getresponse().status
        trouble = "" if status < 500 else f"it answers with status {status}"
    except (OSError, http.client.HTTPException) as error:
        trouble = str(error) or type(error).__name__
    finally:
        server.close()
    address = f"http://{host}:{settings.api_port}"
    if as_json:
        output.print_json({"server": address, "alive": not trouble, "trouble": trouble})
    else:
        print(f"{address} does not answer: {trouble}" if trouble else f"{address} answers")
    return FINISHED_WITH_FAILURES if trouble else 0
