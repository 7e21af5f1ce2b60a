"""What people do to schedules, through the API and on pages."""

from swather.api.parameters import Doing
from swather.model.action import ActionVerb
from swather.model.schedule import Schedule, next_time
from swather.runs.due_now import make_due
from swather.store import Store


def enable_schedule(do: Doing, name: str) -> Schedule:
    """It is due again from its next time on."""

    def enable(store: Store) -> Schedule:
        found = store.schedules.get(name)
        if not found.enabled:
            store.schedules.enable(name, next_time(found.cron, found.timezone, found.now))
        return store.schedules.get(name)

    return do.now(ActionVerb.SCHEDULE_ENABLE, name, enable)


def disable_schedule(do: Doing, name: str) -> Schedule:
    """Runs that have started continue."""

    def disable(store: Store) -> Schedule:
        store.schedules.disable(name)
        return store.schedules.get(name)

    return do.now(ActionVerb.SCHEDULE_DISABLE, name, disable)


def fire_schedule(do: Doing, name: str) -> Schedule:
    """Its run starts now instead of at its next time."""
    return do.now(ActionVerb.SCHEDULE_FIRE, name, lambda store: make_due(store, name))


def remove_schedule(do: Doing, name: str) -> None:
    do.now(ActionVerb.SCHEDULE_REMOVE, name, lambda store: store.schedules.remove(name))
