"""`swather fleet status`: fleets and their workers, as the database knows them."""

import time
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database, Server

_LOOK_SECONDS: Final = 1.0


def show_status(
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only the fleet of this name.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("-w", "--watch", help="Keep showing it until no fleet is up.")
    ] = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Show fleets and their workers.

    Fleets that are up, and those that ended or died within the last day. A fleet is `lost` if its
    supervisor died: its workers stop by themselves, and `swather fleet up` starts them again.
    """
    look = partial(_fleets_there, server) if server is not None else partial(_fleets_here, db)
    while True:
        fleets = look(name)
        _show(fleets, "" if server is None else " where the server runs", as_json=as_json)
        if not watch or not any(fleet["state"] == "live" for fleet in fleets):
            return
        time.sleep(_LOOK_SECONDS)


def _fleets_here(db: str | None, name: str | None) -> list[dict[str, Any]]:
    from swather.cli import database
    from swather.fleet.fleet_facts import data_of, fleets_in, workers_of

    with database.opened(db) as store:
        return [
            {**data_of(fleet), "workers": workers_of(store, fleet)}
            for fleet in fleets_in(store, name)
        ]


def _fleets_there(server: str, name: str | None) -> list[dict[str, Any]]:
    from swather.cli.remote import client_of

    client = client_of(server)
    found = client.fleets.list() if name is None else [client.fleets.get(name)]
    return [
        {**fleet, **{at: datetime.fromisoformat(fleet[at]) for at in ("registered_at", "beat_at")}}
        for fleet in found
    ]


def _show(fleets: list[dict[str, Any]], where: str, *, as_json: bool) -> None:
    from swather.cli import output

    if as_json:
        output.print_json(fleets)
        return
    if not fleets:
        print(f"no fleet is up; start one{where}: swather fleet up SCRAPER --workers N")
    for fleet in fleets:
        output.show(output.facts(_facts(fleet)))
        if rows := fleet["workers"]:
            output.show(output.listing(_HEADERS, [tuple(map(row.get, _COLUMNS)) for row in rows]))
        print()


_COLUMNS: Final = (
    "worker_number",
    "state",
    "where",
    "busy",
    "completed",
    "failed",
    "crashes",
    "why",
)
_HEADERS: Final = ("worker", *_COLUMNS[1:])


def _facts(fleet: dict[str, Any]) -> list[tuple[str, Any]]:
    from swather.runs.words import duration

    running = sum(bool(worker["where"]) for worker in fleet["workers"])
    scales = fleet["minimum"] is not None
    bounds = f", from {fleet['minimum']} to {fleet['maximum']}" if scales else ""
    facts = [
        ("fleet", fleet["fleet"]),
        ("state", _state(fleet)),
        ("supervisor", f"process {fleet['process']} on {fleet['host']}"),
        ("workers", f"{running} running, {fleet['wanted']} wanted{bounds}"),
        ("since", f"{fleet['registered_at'].astimezone():%F %T}"),
        ("command", fleet["command"]),
        ("logs", fleet["log_folder"]),
    ]
    if fleet["state"] != "live":
        silent = (datetime.now(UTC) - fleet["beat_at"]).total_seconds()
        facts.insert(2, ("last heard of", f"{duration(max(silent, 0.0))} ago"))
    return facts


def _state(fleet: dict[str, Any]) -> str:
    if fleet["state"] == "lost":
        return "lost: its supervisor died; `swather fleet up` starts it again"
    if fleet["state"] == "retired":
        return "down"
    if fleet["stopping"]:
        return "stopping"
    return "restarting its workers" if fleet["restarting"] else "up"
