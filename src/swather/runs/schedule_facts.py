"""Schedules and firings as commands show them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from swather.errors import InputError
from swather.model.schedule import Firing, NewSchedule, Schedule, in_words, next_time, zone_of
from swather.runs.words import count, duration, shortened
from swather.scraping.registered import Registered

_NEXT_TIMES: Final = 3
# A scheduler that lives has fired what has been due for so long.
_LATE_SECONDS: Final = 30.0
WHO_FIRES: Final = "It is fired by: swather worker --forever, or swather schedules run"


def data_of(schedule: Schedule, firings: Sequence[Firing]) -> dict[str, Any]:
    return {
        "schedule": schedule.name,
        "scraper": schedule.scraper,
        "cron": schedule.cron,
        "timezone": schedule.timezone,
        "overlap": str(schedule.overlap),
        "params": schedule.given_params,
        "targets": list(schedule.targets),
        "origin": schedule.origin,
        "enabled": schedule.enabled,
        "next_at": schedule.next_at if schedule.enabled else None,
        "firings": [
            {
                "due_at": firing.due_at,
                "fired_at": firing.fired_at,
                "missed": firing.missed,
                "state": str(firing.state),
                "run": firing.run,
                "run_state": firing.run_state,
                "reason": firing.reason,
            }
            for firing in firings
        ],
    }


def table_of(
    schedules: Sequence[Schedule], last: Sequence[Sequence[Firing]]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    rows = [
        (
            each.name,
            each.scraper,
            each.cron,
            each.timezone,
            str(each.overlap),
            _next(each),
            _outcome(firings[0]) if firings else "-",
        )
        for each, firings in zip(schedules, last, strict=True)
    ]
    return ("name", "scraper", "cron", "timezone", "overlap", "next", "last"), rows


def facts_of(schedule: Schedule) -> list[tuple[str, Any]]:
    targets = f"{count(len(schedule.targets), 'target')}: {shortened(', '.join(schedule.targets))}"
    return [
        ("schedule", schedule.name),
        ("scraper", schedule.scraper),
        ("when", f"{words_of(schedule)} ({schedule.cron}, {schedule.timezone})"),
        ("next", ", ".join(_next_times(schedule)) if schedule.enabled else "disabled"),
        ("overlap", str(schedule.overlap)),
        (
            "params",
            ", ".join(f"{name}={value}" for name, value in schedule.given_params.items()) or "-",
        ),
        ("targets", targets if schedule.targets else "those the scraper is registered with"),
        ("from", schedule.origin or "swather schedules add"),
    ]


def firings_table(
    firings: Sequence[Firing], timezone: str
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    rows = [
        (
            _local(each.due_at, timezone),
            str(each.state),
            each.run or "-",
            each.run_state or "-",
            _why(each),
        )
        for each in firings
    ]
    return ("due", "state", "run", "run is", "why"), rows


def when(schedule: Schedule) -> str:
    """'At 02:00 every day, Europe/Berlin; next 2026-02-15 02:00 (in 5h)'."""
    said = f"{words_of(schedule)}, {schedule.timezone}"
    return f"{said}; next {_next(schedule)}" if schedule.enabled else f"disabled ({said})"


def waiting(schedules: Sequence[Schedule]) -> list[str]:
    """What is said of those that are due and are not fired."""
    late = [each for each in schedules if each.enabled and -each.due_seconds > _LATE_SECONDS]
    return [
        f"{each.name} has been due for {duration(-each.due_seconds)}: no process that has scraper "
        f"{each.scraper!r} fires schedules. Start one where it is registered: "
        "swather worker --forever, or swather schedules run"
        for each in late
    ]


def unready(new: NewSchedule, known: Registered | None) -> str:
    """What its runs lack on this machine; '' if nothing."""
    if known is None:
        return (
            f"no scraper named {new.scraper!r} is registered here; only processes that have it "
            "fire this schedule"
        )
    if not new.targets and known.targets is None:
        return (
            f"scraper {new.scraper!r} is registered here without targets, and none were named: "
            f'set [scrapers.{new.scraper}] targets = "FILE" in swather.toml'
        )
    return ""


def words_of(schedule: Schedule) -> str:
    """'At 02:00 every day'."""
    try:
        return in_words(schedule.cron)
    except InputError:
        return schedule.cron  # a database may hold anything


def _next(schedule: Schedule) -> str:
    if not schedule.enabled:
        return "disabled"
    seconds = schedule.due_seconds
    left = f"in {duration(seconds)}" if seconds > 0 else f"due for {duration(-seconds)}"
    return f"{_local(schedule.next_at, schedule.timezone)} ({left})"


def _next_times(schedule: Schedule) -> list[str]:
    times = [schedule.next_at]
    try:
        while len(times) < _NEXT_TIMES:
            times.append(next_time(schedule.cron, schedule.timezone, times[-1]))
    except InputError:
        pass  # it cannot be read here
    return [_local(time, schedule.timezone) for time in times]


def _outcome(firing: Firing) -> str:
    """Of its run, if there is one."""
    due = f"{firing.due_at:%m-%d %H:%M}"
    if firing.run is None:
        return f"{due} {firing.state}"
    return f"{due} {firing.run} {firing.run_state}"


def _why(firing: Firing) -> str:
    missed = f"{firing.missed} more due times had passed unseen" if firing.missed else ""
    return "; ".join(filter(None, [shortened(firing.reason, 200), missed]))


def _local(time: datetime, timezone: str) -> str:
    try:
        return f"{time.astimezone(zone_of(timezone)):%Y-%m-%d %H:%M}"
    except InputError:
        return f"{time:%Y-%m-%d %H:%M} UTC"
