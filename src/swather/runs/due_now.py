"""A schedule fired by a person, without waiting for its time."""

from swather.errors import InputError
from swather.model.schedule import Schedule
from swather.runs.words import command
from swather.store import Store


def make_due(store: Store, name: str) -> Schedule:
    """Whoever fires schedules starts its run now, by the same rules as at any other due time; its
    next time is the one after that.
    """
    store.schedules.make_due(name)
    found = store.schedules.get(name)
    if not found.enabled:
        enable = command("schedules", "enable", name, url=store.url)
        raise InputError(f"schedule {name} is disabled; to enable it: {enable}")
    store.hints.send()
    return found
