"""Schedules: when runs of a scraper start by themselves. A firing is one due time of a schedule."""

from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.model.task import check_name

# Further times that passed are not counted beyond this.
MAX_MISSED: Final = 1_000
_ALIASES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_FIELDS: Final = 5
# Among the params of a schedule: a process that does not know this refuses to start its runs.
_REMOTE: Final = "_remote"


class Overlap(StrEnum):
    """What becomes of a due time while the run of an earlier one is still open."""

    SKIP = "skip"
    QUEUE = "queue"
    BOTH = "both"


class FiringState(StrEnum):
    """`queued`: it waits for an earlier run to end. `loading`: its run exists, its targets are not
    all in it yet. `running`: they are. `ended`: its run was seen to have ended.
    """

    QUEUED = "queued"
    LOADING = "loading"
    RUNNING = "running"
    ENDED = "ended"
    SKIPPED = "skipped"
    FAILED = "failed"


class NewSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule to store. Without `targets` its runs load those that the scraper is registered
    with. `origin`: the file that it is written in; "" if a person added it.
    """

    name: str
    scraper: str
    cron: str
    timezone: str = "UTC"
    overlap: Overlap = Overlap.SKIP
    params: dict[str, Any] = {}
    targets: tuple[str, ...] = ()
    origin: str = ""


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule as it stands. `revision` grows with each firing and each change. `due_seconds`:
    until its next due time, by the database's clock; `now`: what that clock says.
    """

    id: int
    name: str
    scraper: str
    cron: str
    timezone: str
    overlap: Overlap
    params: dict[str, Any]
    targets: tuple[str, ...]
    origin: str
    enabled: bool
    next_at: datetime
    revision: int
    created_at: datetime
    now: datetime

    @property
    def is_remote(self) -> bool:
        """Whether a client of the API has added it: then what hosts its targets and params name
        makes no private address reachable.
        """
        return bool(self.params.get(_REMOTE))

    @property
    def given_params(self) -> dict[str, Any]:
        """Those for the scraper."""
        return {name: value for name, value in self.params.items() if name != _REMOTE}

    @property
    def due_seconds(self) -> float:
        return (self.next_at - self.now).total_seconds()


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """One due time of a schedule, and the run that it became. `missed`: how many more due times
    had passed by then, for which there is no run of their own.
    """

    id: int
    schedule: str
    scraper: str
    due_at: datetime
    fired_at: datetime
    missed: int
    state: FiringState
    run: str | None
    run_state: str | None
    attempts: int
    reason: str


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What a scheduler has to look after: the seconds until the next due time, None if there is no
    schedule, and how many firings are queued or loading.
    """

    due_seconds: float | None
    under_way: int


def remote(params: dict[str, Any]) -> dict[str, Any]:
    """The params of a schedule that a client of the API adds."""
    return {**params, _REMOTE: True}


def checked(new: NewSchedule) -> NewSchedule:
    """The schedule, if it can ever be due; InputError says what is wrong with it."""
    for what, name in (("schedule name", new.name), ("scraper", new.scraper)):
        if not name.strip():
            raise InputError(f"a schedule needs a {what.removeprefix('schedule ')}")
        check_name(what, name)
    check_name("origin", new.origin)
    next_time(new.cron, new.timezone, datetime.now(UTC))
    return new


def overlap_of(text: str) -> Overlap:
    try:
        return Overlap(text)
    except ValueError:
        raise InputError(f"overlap must be one of {', '.join(Overlap)}, got {text!r}") from None


def next_time(cron: str, timezone: str, after: datetime) -> datetime:
    """The first due time after an instant, in UTC. Where clocks go forward, a time that does not
    exist is due when they have; where they go back, a time that comes twice is due once, unless it
    is every hour or minute (as with Debian's cron).
    """
    from cronsim import CronSim, CronSimError  # noqa: PLC0415 - only schedules need it

    text = _ALIASES.get(cron.strip().lower(), cron)
    fields = len(text.split())
    if fields != _FIELDS:
        raise InputError(
            f"cron {cron!r} has {fields} fields, not {_FIELDS}: minute, hour, day of the month, "
            "month, day of the week, such as '0 2 * * *' for every night at two"
        )
    after = after.astimezone(UTC)
    try:
        times = CronSim(text, after.astimezone(zone_of(timezone)))
        # In the hour that comes twice, cronsim may begin with times that have passed.
        return next(due for time in times if (due := time.astimezone(UTC)) > after)
    except CronSimError as error:
        raise InputError(f"cron {cron!r} cannot be read: {str(error).lower()}") from error
    except StopIteration:
        raise InputError(f"cron {cron!r} is never due") from None


def following(schedule: Schedule) -> tuple[datetime, int]:
    """The first due time still to come once this one is fired, and how many between were missed."""
    missed = -1
    due = schedule.next_at
    while due <= schedule.now and missed < MAX_MISSED:
        due = next_time(schedule.cron, schedule.timezone, due)
        missed += 1
    if due <= schedule.now:
        due = next_time(schedule.cron, schedule.timezone, schedule.now)
    return due, max(missed, 0)


def zone_of(name: str) -> tzinfo:
    """The time zone of a name such as Europe/Berlin."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - only schedules need it

    if name == "UTC":
        return UTC  # known even where the system has no list of time zones
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(
            f"there is no time zone {name!r} on this machine; use a name such as Europe/Berlin, "
            "or install the system's package tzdata"
        ) from error


def in_words(cron: str) -> str:
    """'At 02:00 every day'; the expression itself if there are no words for it."""
    from cronsim import CronSim, CronSimError  # noqa: PLC0415 - only schedules need it

    text = _ALIASES.get(cron.strip().lower(), cron)
    try:
        return str(CronSim(text, datetime.now(UTC)).explain())
    except (CronSimError, ValueError, IndexError):
        return cron
