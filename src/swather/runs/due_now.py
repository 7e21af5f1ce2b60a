"""A schedule fired by a person, without waiting for its time."""

from swather.errors import InputError
from swather.model.schedule import Schedule
from swather.store import Store


def make_due(store: Store, name: str) -> Schedule:
    """Whoever fires schedules starts its run now, by the same rules as at any other due time; its
    next time is the one after that.
    """
    store.schedules.make_due(name)
    found = store.schedules.get(name)
    if not found.enabled:
        raise InputError(f"schedule {name} is disabled; to enable it: swather schedules enable")
    store.hints.send()
    return found
