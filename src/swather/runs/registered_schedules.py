"""The schedules of swather.toml, brought into the database by whoever has the file."""

import logging
from collections.abc import Mapping

from swather.errors import BadSetting, InputError, NotFound
from swather.model.schedule import NewSchedule, Overlap, checked, next_time, overlap_of
from swather.scraping.registered import Registered
from swather.store import Store

_log = logging.getLogger(__name__)


def schedules_in(known: Mapping[str, Registered]) -> list[NewSchedule]:
    """BadSetting names the scraper whose schedule cannot be read."""
    found = []
    for name, each in known.items():
        text = each.schedule
        if text is None:
            continue
        try:
            new = NewSchedule(
                name=name,
                scraper=name,
                cron=text.cron,
                timezone=text.timezone or "UTC",
                overlap=overlap_of(text.overlap or Overlap.SKIP),
                origin=each.origin,
            )
            checked(new)
        except InputError as error:
            raise BadSetting(f"{each.origin} schedule: {error}") from error
        found.append(new)
    return found


def sync(store: Store, known: Mapping[str, Registered]) -> None:
    """Store what the file says, and remove what it no longer says of a scraper that it still names.
    A name that a person has given to another schedule is left alone, with a warning.
    """
    for new in schedules_in(known):
        now = store.schedules.now()
        try:
            if store.schedules.sync(new, next_time(new.cron, new.timezone, now)):
                _log.info(
                    "schedule %s: %s (%s), from %s", new.name, new.cron, new.timezone, new.origin
                )
        except InputError as error:
            _log.warning("the schedule of %s is not used: %s", new.origin, error)
    for stored in store.schedules.find():
        here = known.get(stored.name)
        if stored.origin and here is not None and not here.is_installed and here.schedule is None:
            try:
                store.schedules.remove(stored.name)
                _log.info("schedule %s removed: %s has none", stored.name, here.origin)
            except NotFound:
                pass  # another process was faster
