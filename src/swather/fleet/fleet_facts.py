"""Fleets as programs read them: what the database knows of their supervisors and workers."""

from typing import Any, Final

from swather.errors import InputError, NotFound
from swather.fleet.fleet_watch import number_of
from swather.model.supervisor import SupervisorRow
from swather.runs.worker_line import line_of
from swather.store import Store

# Of fleets that are not up, the last one of each name is shown for so long.
_RECENT_SECONDS: Final = 86_400.0


def fleets_in(store: Store, name: str | None) -> list[SupervisorRow]:
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


def live_fleet(store: Store, name: str | None) -> SupervisorRow:
    """The supervisor of that name, or the only one; NotFound says which there are."""
    live = store.supervisors.find()
    found = [row for row in live if name is None or row.name == name]
    names = ", ".join(sorted(row.name for row in live))
    if len(found) > 1:
        raise InputError(f"several fleets are up: {names}; say which: --name {live[0].name}")
    if found:
        return found[0]
    if name is None:
        raise NotFound("no fleet is up; start one: swather fleet up SCRAPER --workers N")
    dead = [row for row in store.supervisors.find(live=False) if row.name == name]
    what = f"the fleet {name!r} is not up" if dead else f"there is no fleet named {name!r}"
    raise NotFound(f"{what}; {f'up are: {names}' if names else 'no other is up'}")


def data_of(fleet: SupervisorRow) -> dict[str, Any]:
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


def workers_of(store: Store, fleet: SupervisorRow) -> list[dict[str, Any]]:
    """What the supervisor says of its workers, and what those say of themselves."""
    rows = {
        number_of(row.name, fleet.name): row
        for row in sorted(store.workers.find(), key=lambda row: row.id)
    }
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
