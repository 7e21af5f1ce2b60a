"""What people do to fleets and workers, through the API and on pages."""

from swather.api.parameters import Doing
from swather.model.action import ActionVerb
from swather.model.supervisor import SupervisorRow
from swather.model.worker import Worker
from swather.runs.worker_changes import WorkerVerb, change_worker, change_workers
from swather.store import Store


def scale_fleet(do: Doing, fleet: SupervisorRow, wanted: int) -> None:
    do.now(
        ActionVerb.FLEET_SCALE,
        fleet.name,
        lambda store: store.supervisors.set_wanted(fleet.id, wanted),
        {"wanted": wanted, "before": fleet.wanted},
    )


def bound_fleet(do: Doing, fleet: SupervisorRow, minimum: int, maximum: int) -> None:
    do.now(
        ActionVerb.FLEET_BOUNDS,
        fleet.name,
        lambda store: store.supervisors.set_bounds(fleet.id, minimum, maximum),
        {"minimum": minimum, "maximum": maximum},
    )


def restart_fleet(do: Doing, fleet: SupervisorRow) -> None:
    do.now(
        ActionVerb.FLEET_RESTART,
        fleet.name,
        lambda store: store.supervisors.ask_restart(fleet.id),
    )


def stop_fleet(do: Doing, fleet: SupervisorRow, *, at_once: bool = False) -> None:
    do.now(
        ActionVerb.FLEET_STOP,
        fleet.name,
        lambda store: store.supervisors.ask_stop(fleet.id, now=at_once),
        {"now": at_once},
    )


def change_one(do: Doing, worker: Worker, verb: WorkerVerb) -> None:
    """Pause, unpause, drain or stop it."""
    do.now(
        ActionVerb(f"worker {verb}"),
        worker.name,
        lambda store: change_worker(store, worker, verb),
    )


def change_named(do: Doing, name: str, verb: WorkerVerb) -> list[str]:
    """The names of those that are called so."""

    def change(store: Store) -> list[str]:
        attempts = change_workers(store, [name], verb)
        attempts.check()
        return attempts.done

    return do.now(ActionVerb(f"worker {verb}"), name, change)
