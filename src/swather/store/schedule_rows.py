"""What both stores do alike for schedules: rows to data, and what becomes of a due time."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from swather.errors import InputError, NotFound
from swather.model.notice import NewNotice, NoticeKind
from swather.model.payload import decode, encode
from swather.model.run import RunState
from swather.model.schedule import Firing, FiringState, NewSchedule, Overlap, Schedule, checked
from swather.store.finishing import clipped

# Further due times of a schedule are skipped while so many wait.
MAX_QUEUED: Final = 100


class UnderWay(NamedTuple):
    """Firings of a schedule whose runs have not ended, how many of them are queued, and the newest
    run.
    """

    number: int
    queued: int
    run: str | None


def values_of(new: NewSchedule) -> dict[str, Any]:
    """The columns of a schedule, checked."""
    checked(new)
    return {
        "name": new.name,
        "scraper": new.scraper,
        "cron": new.cron,
        "timezone": new.timezone,
        "overlap": str(new.overlap),
        "params": encode(new.params, what="params"),
        "targets": encode(new.targets, what="targets"),
        "origin": new.origin,
    }


def differs(new: NewSchedule, stored: Schedule) -> bool:
    return any(
        getattr(new, name) != getattr(stored, name) for name in NewSchedule.__struct_fields__
    )


def schedule_of(row: tuple[Any, ...], now: datetime) -> Schedule:
    """From a row whose times are datetimes."""
    return Schedule(
        id=row[0],
        name=row[1],
        scraper=row[2],
        cron=row[3],
        timezone=row[4],
        overlap=Overlap(row[5]),
        params=decode(row[6]),
        targets=tuple(decode(row[7])),
        origin=row[8],
        enabled=bool(row[9]),
        next_at=row[10],
        revision=row[11],
        created_at=row[12],
        now=now,
    )


def firing_of(row: tuple[Any, ...]) -> Firing:
    """From a row whose times are datetimes. That a run has ended is noted when the next is due."""
    state = FiringState(row[6])
    if state is FiringState.RUNNING and row[8] != RunState.OPEN:
        state = FiringState.ENDED
    return Firing(
        id=row[0],
        schedule=row[1],
        scraper=row[2],
        due_at=row[3],
        fired_at=row[4],
        missed=row[5],
        state=state,
        run=row[7],
        run_state=row[8],
        attempts=row[9],
        reason=row[10],
    )


def state_of_firing(overlap: Overlap, under_way: UnderWay) -> tuple[FiringState, str]:
    """What becomes of a due time, and why."""
    before = f"run {under_way.run} is still open" if under_way.run else "an earlier one waits"
    if overlap is Overlap.BOTH or not under_way.number:
        return FiringState.LOADING, ""
    if overlap is Overlap.SKIP:
        return FiringState.SKIPPED, before
    if under_way.queued >= MAX_QUEUED:
        return FiringState.SKIPPED, f"{MAX_QUEUED} earlier ones wait"
    return FiringState.QUEUED, before


def failure_notice(
    schedule: str, scraper: str, firing_id: int, run: str | None, reason: str
) -> NewNotice:
    return NewNotice(
        kind=NoticeKind.SCHEDULE_FAILED,
        key=f"schedule_failed {firing_id}",
        scraper=scraper,
        run=run,
        data={"schedule": schedule, "reason": clipped(reason)},
    )


def unknown_schedule(name: str) -> NotFound:
    return NotFound(f"there is no schedule named {name!r}; `swather schedules` lists them")


def already_there(stored: Schedule) -> InputError:
    if stored.origin:
        return InputError(
            f"schedule {stored.name!r} comes from {stored.origin}; change it there, or choose "
            "another name with --name"
        )
    return InputError(
        f"there is already a schedule named {stored.name!r}; remove it first "
        f"(swather schedules rm {stored.name}), or choose another name with --name"
    )
