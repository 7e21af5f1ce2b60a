"""`swather fleet status`: fleets and their workers, as the database knows them."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database
from swather.errors import NotFound

if TYPE_CHECKING:
    from swather.model.supervisor import SupervisorRow
    from swather.model.worker import Worker
    from swather.store.ports import Store

_LOOK_SECONDS: Final = 1.0
# Of fleets that are not up, the last one of each name is shown for so long.
_RECENT_SECONDS: Final = 86_400.0


def show_status(
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only the fleet of this name.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("-w", "--watch", help="Keep showing it until no fleet is up.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show fleets and their workers.

    Fleets that are up, and those that ended or died within the last day. A fleet is `lost` if its
    supervisor died: its workers stop by themselves, and `swather fleet up` starts them again.
    """
    from swather.cli import database

    with database.opened(db) as store:
        while True:
            fleets = _fleets(store, name)
            _show(store, fleets, as_json=as_json)
            if not watch or not any(fleet.state == "live" for fleet in fleets):
                return
            time.sleep(_LOOK_SECONDS)


def _fleets(store: "Store", name: str | None) -> "list[SupervisorRow]":
    newest: dict[str, SupervisorRow] = {}
    for row in store.supervisors.find(live=False):
        newest.setdefault(row.name, row)
    found = [
        row
        for row in newest.values()
        if row.name == name
        or (name is None and (row.state == "live" or row.silent_seconds < _RECENT_SECONDS))
    ]
    if name is not None and not found:
        raise NotFound(f"there is no fleet named {name!r}")
    return found


def _show(store: "Store", fleets: "list[SupervisorRow]", *, as_json: bool) -> None:
    from swather.cli import output

    workers = {fleet.id: _workers(store, fleet) for fleet in fleets}
    if as_json:
        output.print_json([{**_data(fleet), "workers": workers[fleet.id]} for fleet in fleets])
        return
    if not fleets:
        print("no fleet is up; start one: swather fleet up SCRAPER --workers N")
    for fleet in fleets:
        output.show(output.facts(_facts(fleet, workers[fleet.id])))
        if rows := workers[fleet.id]:
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


def _data(fleet: "SupervisorRow") -> dict[str, Any]:
    return {
        "fleet": fleet.name,
        "state": str(fleet.state),
        "host": fleet.process.host,
        "process": fleet.process.pid,
        "placement": fleet.placement,
        "wanted": fleet.wanted,
        "minimum": fleet.minimum,
        "maximum": fleet.maximum,
        "restarting": bool(fleet.said.get("restarting")),
        "stopping": bool(fleet.said.get("stopping")) or fleet.stops > 0,
        "registered_at": fleet.registered_at,
        "beat_at": fleet.beat_at,
        "command": fleet.command,
        "log_folder": fleet.log_folder,
    }


def _facts(fleet: "SupervisorRow", workers: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    from swather.runs.words import duration

    running = sum(bool(worker["where"]) for worker in workers)
    bounds = "" if fleet.minimum is None else f", from {fleet.minimum} to {fleet.maximum}"
    facts = [
        ("fleet", fleet.name),
        ("state", _state(fleet)),
        ("supervisor", f"process {fleet.process.pid} on {fleet.process.host}"),
        ("workers", f"{running} running, {fleet.wanted} wanted{bounds}"),
        ("since", f"{fleet.registered_at.astimezone():%F %T}"),
        ("command", fleet.command),
        ("logs", fleet.log_folder),
    ]
    if fleet.state != "live":
        facts.insert(2, ("last heard of", f"{duration(fleet.silent_seconds)} ago"))
    return facts


def _state(fleet: "SupervisorRow") -> str:
    if fleet.state == "lost":
        return "lost: its supervisor died; `swather fleet up` starts it again"
    if fleet.state == "retired":
        return "down"
    if fleet.stops or fleet.said.get("stopping"):
        return "stopping"
    return "restarting its workers" if fleet.said.get("restarting") else "up"


def _workers(store: "Store", fleet: "SupervisorRow") -> list[dict[str, Any]]:
    """What the supervisor says of its workers, and what those say of themselves."""
    from swather.fleet.fleet_watch import number_of
    from swather.runs.worker_line import line_of

    rows: dict[int | None, Worker] = {}
    for row in sorted(store.workers.find(), key=lambda row: row.id):
        rows[number_of(row.name, fleet.name)] = row
    said = fleet.said.get("workers")
    found = []
    for worker in said if isinstance(said, list) and fleet.state == "live" else ():
        known = rows.get(worker.get("number"))
        line = None if known is None else line_of(known, "")
        found.append(
            {
                "worker_number": worker.get("number"),
                **{name: worker.get(name) for name in ("state", "where", "crashes", "why")},
                "worker_id": None if line is None else line.id,
                "busy": None if line is None else line.busy,
                "completed": None if line is None else line.completed,
                "failed": None if line is None else line.failed,
            }
        )
    return found
