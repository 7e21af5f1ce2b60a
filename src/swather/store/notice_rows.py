"""What both stores do alike for notices: rows to data, and what a run's end says."""

from datetime import datetime
from typing import Any

from swather.model.notice import (
    Delivery,
    DeliveryState,
    NewNotice,
    Notice,
    NoticeKind,
    Subscription,
)
from swather.model.payload import decode, encode
from swather.model.run import Counts, Run, RunState
from swather.model.task import check_name


def values_of(new: NewNotice) -> dict[str, Any]:
    return {
        "kind": str(new.kind),
        "key": check_name("notice key", new.key),
        "scraper": new.scraper,
        "run": new.run,
        "data": encode(new.data, what="notice"),
    }


def end_of(run: Run, counts: Counts) -> NewNotice:
    """The notice of a run that has just ended. What a cancelled run still had to do is cancelled
    with it.
    """
    is_cancelled = run.state is RunState.CANCELLED
    seconds = (run.finished_at - run.created_at).total_seconds() if run.finished_at else 0.0
    return NewNotice(
        kind=NoticeKind.RUN_ENDED,
        key=f"run_ended {run.id} {run.times_finished} {run.state}",
        scraper=run.scraper,
        run=run.name,
        data={
            "state": str(run.state),
            "completed": counts.completed,
            "failed": counts.failed,
            "cancelled": counts.cancelled + (counts.unfinished if is_cancelled else 0),
            "items": counts.items,
            "files": counts.files,
            "load_incomplete": run.load_incomplete,
            "seconds": round(max(seconds, 0.0), 3),
        },
    )


def breaker_opened(scraper: str, lane: str, seen: dict[str, Any], opened: str) -> NewNotice:
    return NewNotice(
        kind=NoticeKind.BREAKER_OPEN,
        key=f"breaker_open {scraper[:200]} {lane[:200]} {opened}",
        scraper=scraper,
        data={"lane": lane, "seen": seen},
    )


def source_opened(scraper: str, source: str, failures: int, reason: str, opened: str) -> NewNotice:
    return NewNotice(
        kind=NoticeKind.BREAKER_OPEN,
        key=f"breaker_open {scraper[:200]} source {source[:200]} {opened}",
        scraper=scraper,
        data={"source": source, "seen": {"failed": failures, "of": failures, "error": reason}},
    )


def wanted(hook: Subscription) -> dict[str, Any]:
    """What a hook wants, as bindings."""
    return {"kinds": sorted(map(str, hook.kinds)), "scrapers": sorted(hook.scrapers)}


def notice_of(row: tuple[Any, ...], at: datetime) -> Notice:
    return Notice(
        id=row[0],
        uid=row[1],
        kind=NoticeKind(row[2]),
        at=at,
        scraper=row[4],
        run=row[5],
        data=decode(row[6]),
    )


def delivery_of(row: tuple[Any, ...], at: datetime, due_at: datetime) -> Delivery:
    return Delivery(
        notice=notice_of(row, at),
        hook=row[7],
        words=row[8],
        state=DeliveryState(row[9]),
        attempts=row[10],
        due_at=due_at,
        error=row[12],
    )
