"""Fleets as the dashboard shows them: how many workers each has, and what more would cost."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from swather import posix
from swather.fleet.fleet_facts import fleets_in
from swather.fleet.fleet_scaler import policy_of
from swather.fleet.fleet_watch import number_of
from swather.fleet.free_memory import free_memory_mb
from swather.model.scaling import total, useful
from swather.model.supervisor import MAX_WORKERS, SupervisorRow, SupervisorState
from swather.model.worker import Worker
from swather.runs import configuration
from swather.runs.words import count, size
from swather.store import Store
from swather.web.pages.workers_rows import memory_of

_MEGABYTE: Final = 1 << 20


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A worker of a fleet that its supervisor has something to say of."""

    number: int
    state: str
    crashes: int
    why: str


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """A supervisor and its workers. `troubled`: those that do not run, or have crashed."""

    row: SupervisorRow
    state: str
    running: int
    troubled: list[Seat]

    @property
    def is_live(self) -> bool:
        return self.row.state is SupervisorState.LIVE

    @property
    def is_stopping(self) -> bool:
        return self.is_live and bool(self.row.stops or self.row.said.get("stopping"))

    @property
    def scales_itself(self) -> bool:
        return self.row.minimum is not None


def fleets_of(store: Store) -> list[Fleet]:
    """Those that are up, and those that ended or died within the last day."""
    return [_fleet(row) for row in fleets_in(store, None)]


def _fleet(row: SupervisorRow) -> Fleet:
    said = row.said.get("workers")
    of_workers = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
    if row.state is not SupervisorState.LIVE:
        of_workers = []
    seats = [_seat(each) for each in of_workers]
    return Fleet(
        row=row,
        state=_state(row),
        running=sum(bool(each.get("where")) for each in of_workers),
        troubled=[seat for seat in seats if seat.crashes or seat.why],
    )


def _seat(said: dict[str, Any]) -> Seat:
    number, crashes = said.get("number"), said.get("crashes")
    return Seat(
        number=number if type(number) is int else 0,
        state=str(said.get("state") or ""),
        crashes=crashes if type(crashes) is int else 0,
        why=str(said.get("why") or ""),
    )


def _state(row: SupervisorRow) -> str:
    if row.state is SupervisorState.LOST:
        return "lost"
    if row.state is SupervisorState.RETIRED:
        return "down"
    if row.stops or row.said.get("stopping"):
        return "stopping"
    return "restarting" if row.said.get("restarting") else "up"


def cost_of(
    store: Store, fleet: SupervisorRow, wanted: int, workers: Sequence[Worker]
) -> list[str]:
    """What so many workers would mean: memory, and whether the waiting work can use them."""
    settings = configuration.resolve(store).settings
    own = [each for each in workers if number_of(each.name, fleet.name) is not None]
    measured = [memory for each in own if (memory := memory_of(each)) is not None]
    each_bytes = sum(measured) // len(measured) if measured else 0
    said = [_memory(fleet, wanted, each_bytes, settings.worker_memory_mb)]
    policy = policy_of(settings, 0, MAX_WORKERS)
    found = useful(total(store.runs.demand()), policy)
    if found.number == 0:
        said.append("No work waits, so more workers would be idle.")
    elif wanted > found.number:
        said.append(
            f"The waiting work can use {count(found.number, 'worker')}, so more would be idle: "
            f"{found.reason}."
        )
    else:
        said.append(f"The waiting work can use {count(found.number, 'worker')}: {found.reason}.")
    return said


def _memory(fleet: SupervisorRow, wanted: int, each_bytes: int, worker_memory_mb: int) -> str:
    if each_bytes:
        how = f"{size(each_bytes)} each now"
    else:
        each_bytes = worker_memory_mb * _MEGABYTE
        how = f"{size(each_bytes)} each by the setting worker_memory_mb"
    said = f"{count(wanted, 'worker')}: about {size(wanted * each_bytes)} of memory ({how})"
    free = free_memory_mb() if _is_here(fleet) else None
    if free is None:
        return f"{said}."
    more = max(wanted - fleet.wanted, 0) * each_bytes
    lacks = ", which is not enough for those to be added" if more > free * _MEGABYTE else ""
    return f"{said}; {size(free * _MEGABYTE)} are free on {fleet.process.host}{lacks}."


def _is_here(fleet: SupervisorRow) -> bool:
    here, there = posix.this_process(), fleet.process
    return fleet.placement == "local" and (here.boot_id, here.namespace) == (
        there.boot_id,
        there.namespace,
    )
