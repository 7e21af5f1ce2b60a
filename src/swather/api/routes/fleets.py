"""Fleets over HTTP: how many workers each shall have; its supervisor obeys."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path

from swather.api import answers_workers as answers
from swather.api import fleet_changes
from swather.api.answers import shown
from swather.api.jobs_orders import check_not_autoscaled
from swather.api.parameters import Do, new_router
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.fleet.fleet_facts import data_of, fleets_in, workers_of
from swather.model.supervisor import SupervisorRow
from swather.model.task import MAX_NAME_BYTES
from swather.runs.words import command
from swather.store import Store

router = new_router("fleets")

FleetInPath = Annotated[
    str, Path(max_length=MAX_NAME_BYTES, description="A fleet by name.", examples=["local"])
]


@router.get("", response_model=list[answers.Fleet])
def list_fleets(store: TheStore) -> Any:
    """Fleets that are up, and those that ended or died within the last day."""
    return shown(
        [{**data_of(each), "workers": workers_of(store, each)} for each in fleets_in(store, None)]
    )


@router.get("/{fleet}", response_model=answers.Fleet)
def get_fleet(store: TheStore, fleet: FleetInPath) -> Any:
    """One fleet and its workers."""
    (found,) = fleets_in(store, fleet)
    return shown({**data_of(found), "workers": workers_of(store, found)})


@router.post("/{fleet}/scale", response_model=answers.Ordered)
def scale_fleet(store: TheStore, do: Do, fleet: FleetInPath, given: answers.Scale) -> Any:
    """Change the number of workers. Those that leave finish their targets and give back the rest.
    409 if the fleet is not up, or scales itself.
    """
    found = _live(store, fleet)
    check_not_autoscaled(store, found)
    fleet_changes.scale_fleet(do, found, given.workers)
    return _ordered(store, found)


@router.post("/{fleet}/bounds", response_model=answers.Ordered)
def bound_fleet(store: TheStore, do: Do, fleet: FleetInPath, given: answers.Bounds) -> Any:
    """Change the bounds of a fleet that scales itself; 409 if it is not up, or does not."""
    found = _live(store, fleet)
    if found.minimum is None:
        raise Refused(
            HTTPStatus.CONFLICT,
            f"fleet {fleet} does not scale itself: POST /api/v1/fleets/{fleet}/scale",
            command=command("fleet", "scale", str(given.maximum), "--name", fleet, url=store.url),
        )
    fleet_changes.bound_fleet(do, found, given.minimum, given.maximum)
    return _ordered(store, found)


@router.post("/{fleet}/restart", response_model=answers.Ordered)
def restart_fleet(store: TheStore, do: Do, fleet: FleetInPath) -> Any:
    """Replace the workers one after another; 409 if the fleet is not up."""
    found = _live(store, fleet)
    fleet_changes.restart_fleet(do, found)
    return {**_ordered(store, found), "restarting": True}


@router.post("/{fleet}/stop", response_model=answers.Ordered)
def stop_fleet(
    store: TheStore, do: Do, fleet: FleetInPath, given: answers.Stop | None = None
) -> Any:
    """Stop a fleet and its supervisor: workers finish their targets first, unless `now`. 409 if it
    is not up. It is started again on its machine, not from here.
    """
    found = _live(store, fleet)
    fleet_changes.stop_fleet(do, found, at_once=given is not None and given.now)
    return _ordered(store, found)


def _live(store: Store, name: str) -> SupervisorRow:
    """Refused with the command that starts it, if it is not up."""
    (found,) = fleets_in(store, name)
    if found.state != "live":
        raise Refused(
            HTTPStatus.CONFLICT,
            f"fleet {name} is not up; start it on its machine",
            command=found.command or command("fleet", "up", "--name", name, url=store.url),
        )
    return found


def _ordered(store: Store, fleet: SupervisorRow) -> dict[str, Any]:
    data = data_of(store.supervisors.get(fleet.id))
    names = ("fleet", "wanted", "minimum", "maximum", "restarting", "stopping")
    return {name: data[name] for name in names}
