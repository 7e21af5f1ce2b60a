"""`swather fleet scale|restart|down`: what people want of a fleet, told through the database."""

import sys
import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.fleet_selection import FleetName
from swather.cli.options import AsJSON, Database, DatabaseToChange, Server
from swather.errors import InputError, NotFound
from swather.fleet.fleet_facts import live_fleet
from swather.fleet.placement import Place
from swather.visible import visible_line

if TYPE_CHECKING:
    from swather.model.supervisor import SupervisorRow
    from swather.store.ports import Store

_LOOK_SECONDS: Final = 0.2


def scale(
    workers: Annotated[
        int, typer.Argument(min=0, metavar="N", help="How many workers it shall have.")
    ],
    name: FleetName = None,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Change the number of workers.

    Workers are added within seconds. Those that leave are the ones with the highest numbers; they
    finish their running targets and give back the rest, so nothing is lost or scraped twice. The
    number holds until it is changed again, here or by the setting max_workers.
    """
    from swather.cli import database

    if server is not None:
        told, before = _scale_there(server, name, workers)
        _report_scale(told, workers, before, as_json=as_json)
        return
    with database.opened(db) as store:
        fleet = live_fleet(store, name)
        if fleet.minimum is not None:
            raise InputError(
                f"fleet {fleet.name} scales itself between {fleet.minimum} and {fleet.maximum} "
                "workers; change the most with: swather settings set max_workers N"
            )
        store.supervisors.set_wanted(fleet.id, workers)
    _report_scale(fleet.name, workers, fleet.wanted, as_json=as_json)


def _scale_there(server: str, name: str | None, workers: int) -> tuple[str, int]:
    """The fleet's name, and how many workers it had before."""
    from swather.cli.remote import client_of

    client = client_of(server)
    live = [fleet for fleet in client.fleets.list() if fleet["state"] == "live"]
    found = [fleet for fleet in live if name is None or fleet["fleet"] == name]
    names = ", ".join(sorted(fleet["fleet"] for fleet in live))
    if not found:
        raise NotFound(f"no such fleet is up; up are: {names or 'none'}")
    if len(found) > 1:
        raise InputError(f"several fleets are up: {names}; say which: --name {found[0]['fleet']}")
    client.fleets.scale(found[0]["fleet"], workers)
    return found[0]["fleet"], found[0]["wanted"]


def _report_scale(fleet: str, workers: int, before: int, *, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs.words import count

    if as_json:
        output.print_json({"fleet": fleet, "wanted": workers, "before": before})
        return
    print(f"fleet {fleet}: {count(workers, 'worker')} wanted instead of {before}")


def restart(name: FleetName = None, db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Restart the workers one after another, for example onto new code.

    Each finishes its running targets first, and the next one's turn comes when the new worker has
    been running for a few seconds. If the new code does not run, the others are left as they are.
    Workers that had crashed too often get another chance.
    """
    from swather.cli import database, output
    from swather.runs.words import count

    with database.opened(db) as store:
        fleet = live_fleet(store, name)
        store.supervisors.ask_restart(fleet.id)
    if as_json:
        output.print_json({"fleet": fleet.name, "restarting": fleet.wanted})
        return
    if fleet.placement == Place.RAY:
        print(
            "Workers on Ray keep the code that the cluster was given; for new code, take the fleet "
            "down and up again.",
            file=sys.stderr,
        )
    watch = database.with_db("swather fleet status --watch", db)
    workers = count(fleet.wanted, "worker")
    print(f"fleet {fleet.name} restarts {workers} one after another: {watch}")


def down(
    name: FleetName = None,
    every: Annotated[bool, typer.Option("--all", help="Stop all fleets.")] = False,
    now: Annotated[
        bool, typer.Option("--now", help="Give running targets back instead of finishing them.")
    ] = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Stop a fleet: its workers finish their running targets and give back the rest.

    Waits until it is down. Ctrl-C ends the waiting, not the stopping.
    """
    from swather.cli import database, output

    with database.opened(db) as store:
        fleets = store.supervisors.find() if every else [live_fleet(store, name)]
        for fleet in fleets:
            store.supervisors.ask_stop(fleet.id, now=now)
            print(f"fleet {fleet.name} is stopping", file=sys.stderr)
        ended = [_awaited(store, fleet.id) for fleet in fleets]
    if as_json:
        output.print_json(
            [
                {"fleet": row.name, "state": str(row.state), "totals": row.said.get("totals", [])}
                for row in ended
            ]
        )
        return
    for row in ended:
        for line in row.said.get("totals", ()):
            print(visible_line(str(line)))
        if row.state == "lost":
            print(f"the supervisor of fleet {row.name} died; its workers stop by themselves")


def _awaited(store: "Store", supervisor_id: int) -> "SupervisorRow":
    from swather.model.supervisor import SupervisorState

    while (row := store.supervisors.get(supervisor_id)).state is SupervisorState.LIVE:
        time.sleep(_LOOK_SECONDS)
    return row
