"""What clients of a job queue order: workers to start, to stop, to restart.

An order is a wanted number in the row of a fleet; its supervisor obeys within a second or so.
"""

from http import HTTPStatus

from swather.api.problems import Refused
from swather.model.supervisor import SupervisorRow
from swather.runs.words import command, count
from swather.store import Store


def start_workers(store: Store, number: int) -> SupervisorRow:
    fleet = _only_fleet(store, number)
    if fleet.wanted:
        raise Refused(
            HTTPStatus.CONFLICT,
            f"{count(fleet.wanted, 'worker')} of fleet {fleet.name} are running already; POST "
            "/jobs/workers/restart with num_workers changes their number",
            command=command("fleet", "scale", str(number), "--name", fleet.name, url=store.url),
        )
    store.supervisors.set_wanted(fleet.id, number)
    return store.supervisors.get(fleet.id)


def stop_workers(store: Store) -> list[SupervisorRow]:
    """All of them. They finish what they do; the fleets stay up, and can start workers again."""
    fleets = _fleets(store, 1)
    for fleet in fleets:
        check_not_autoscaled(store, fleet)
    for fleet in fleets:
        store.supervisors.set_wanted(fleet.id, 0)
    return [store.supervisors.get(fleet.id) for fleet in fleets]


def restart_workers(store: Store, number: int | None, *, default: int) -> list[SupervisorRow]:
    """One after another; with a number, it is as many afterwards. Where none is wanted, `default`
    are.
    """
    fleets = _fleets(store, number or default)
    if number is None and not any(fleet.wanted for fleet in fleets):
        number = default
    if number is not None:
        fleets = [_only_fleet(store, number)]
        store.supervisors.set_wanted(fleets[0].id, number)
    for fleet in fleets:
        store.supervisors.ask_restart(fleet.id)
    return [store.supervisors.get(fleet.id) for fleet in fleets]


def _only_fleet(store: Store, number: int) -> SupervisorRow:
    """The one that a number of workers can only mean."""
    fleets = _fleets(store, number)
    if len(fleets) > 1:
        names = ", ".join(fleet.name for fleet in fleets)
        raise Refused(
            HTTPStatus.CONFLICT,
            f"{len(fleets)} fleets are up ({names}), and each has a number of its own",
            command=command("fleet", "scale", str(number), "--name", fleets[0].name, url=store.url),
        )
    check_not_autoscaled(store, fleets[0])
    return fleets[0]


def _fleets(store: Store, number: int) -> list[SupervisorRow]:
    """Those that are up and stay so."""
    fleets = [fleet for fleet in store.supervisors.find() if not fleet.stops]
    if not fleets:
        raise Refused(
            HTTPStatus.CONFLICT,
            "no supervisor is up that could start or stop workers; start one, or serve with "
            "--workers",
            command=command("fleet", "up", "--workers", str(number), url=store.url),
        )
    return fleets


def check_not_autoscaled(store: Store, fleet: SupervisorRow) -> None:
    if fleet.minimum is not None:
        raise Refused(
            HTTPStatus.CONFLICT,
            f"fleet {fleet.name} scales itself between {fleet.minimum} and {fleet.maximum} workers",
            command=command("settings", "set", "max_workers", "N", url=store.url),
        )
