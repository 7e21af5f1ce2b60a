"""Converts notes on sources to the rows that both databases write, and rows back to statistics."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from swather.errors import InputError
from swather.model.error_title import error_title
from swather.model.payload import storable
from swather.model.source import (
    FAILURES_TO_OPEN,
    FIRST_OPEN_SECONDS,
    MAX_OPEN_SECONDS,
    Answer,
    BreakerState,
    SourceBreaker,
    SourceNote,
    SourceState,
    SourceStats,
)
from swather.model.task import check_name
from swather.store.checks import check_seconds

COUNT_PREFIX: Final = "count:"
ERROR_PREFIX: Final = "error:"
CURVE: Final = {
    "to_open": FAILURES_TO_OPEN,
    "first_seconds": FIRST_OPEN_SECONDS,
    "max_seconds": MAX_OPEN_SECONDS,
}
MAX_REASON_CHARACTERS: Final = 200
HOUR_SECONDS: Final = 3_600.0

# A note with the run of its task.
Noted = tuple[int, SourceNote]


class SourceCountRow(NamedTuple):
    run_id: int
    source: str
    name: str
    amount: float


class SourceRow(NamedTuple):
    run_id: int
    source: str


class SourceFailureRow(NamedTuple):
    run_id: int
    source: str
    failures: int
    reason: str


def check_source(name: str) -> str:
    if not name:
        raise InputError("a source needs a name")
    return check_name("source", name)


def check_note(note: SourceNote) -> None:
    check_source(note.name)
    check_seconds("seconds", note.seconds)
    for name, count in note.counts.items():
        check_name("count", name)
        if type(count) is not int or not 0 <= count < 1 << 50:
            raise InputError(f"the count of {name!r} must be a whole number, got {count!r}")


def counted(notes: Iterable[Noted]) -> list[SourceCountRow]:
    amounts: Counter[tuple[int, str, str]] = Counter()
    for run_id, note in notes:
        amounts[run_id, note.name, note.answer] += 1
        if note.answer is not Answer.SKIPPED:
            amounts[run_id, note.name, "seconds"] += note.seconds  # type: ignore[assignment]
        if note.answer is Answer.FAILED:
            amounts[run_id, note.name, ERROR_PREFIX + _clipped(error_title(note.error))] += 1
        for name, count in note.counts.items():
            amounts[run_id, note.name, COUNT_PREFIX + name] += count
    return [SourceCountRow(*key, float(amount)) for key, amount in amounts.items()]


def answered(notes: Iterable[Noted]) -> list[SourceRow]:
    """Sources that have succeeded, once each."""
    rows = [SourceRow(run, note.name) for run, note in notes if note.answer is Answer.SUCCEEDED]
    return list(dict.fromkeys(rows))


def failing(notes: Iterable[Noted]) -> list[SourceFailureRow]:
    """Sources that have failed since they last succeeded, and how often in a row."""
    rows: dict[SourceRow, SourceFailureRow] = {}
    for run_id, note in notes:
        key = SourceRow(run_id, note.name)
        if note.answer is Answer.SUCCEEDED:
            rows.pop(key, None)
        elif note.answer is Answer.FAILED:
            before = rows[key].failures if key in rows else 0
            rows[key] = SourceFailureRow(*key, before + 1, _clipped(note.error))
    return list(rows.values())


def breaker_of(
    failures: int, open_seconds: float | None, probing_seconds: float | None, reason: str
) -> SourceBreaker:
    """From what is left of its times; None for one that has not begun."""
    if open_seconds is None:
        return SourceBreaker(failures=failures, reason=reason)
    if open_seconds > 0:
        state, retry_in = BreakerState.OPEN, open_seconds
    else:
        state, retry_in = BreakerState.HALF_OPEN, max(probing_seconds or 0.0, 0.0)
    return SourceBreaker(state=state, failures=failures, retry_in=retry_in, reason=reason)


def state_of(breaker: SourceBreaker) -> SourceState:
    """For an attempt that does not probe the source."""
    if breaker.state is BreakerState.CLOSED:
        return SourceState()
    return SourceState(is_open=True, retry_in=breaker.retry_in, reason=breaker.reason)


def statistics(
    rows: Iterable[Sequence[Any]],
    breakers: Iterable[Sequence[Any]],
    *,
    scrapers: Collection[str] | None = None,
    only_asked: bool = False,
) -> list[SourceStats]:
    """By scraper and source, in order of their names: from sums by name, and from breakers."""
    sums: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for scraper, source, name, amount in rows:
        sums[scraper, source][name] = amount
    known = {(row[0], row[1]): breaker_of(*row[2:]) for row in breakers}
    keys = sums.keys() if only_asked else sums.keys() | known.keys()
    return [
        _stats(scraper, source, sums[scraper, source], known.get((scraper, source)))
        for scraper, source in sorted(keys)
        if scrapers is None or scraper in scrapers
    ]


def _stats(
    scraper: str, source: str, sums: dict[str, float], breaker: SourceBreaker | None
) -> SourceStats:
    failures = _named(sums, ERROR_PREFIX)
    return SourceStats(
        scraper=scraper,
        source=source,
        succeeded=int(sums.get(Answer.SUCCEEDED, 0)),
        failed=int(sums.get(Answer.FAILED, 0)),
        skipped=int(sums.get(Answer.SKIPPED, 0)),
        seconds=sums.get("seconds", 0.0),
        counts=dict(sorted(_named(sums, COUNT_PREFIX).items())),
        failures=dict(sorted(failures.items(), key=lambda each: (-each[1], each[0]))),
        breaker=breaker or SourceBreaker(),
    )


def _named(sums: dict[str, float], prefix: str) -> dict[str, int]:
    return {
        name.removeprefix(prefix): int(amount)
        for name, amount in sums.items()
        if name.startswith(prefix)
    }


def _clipped(text: str) -> str:
    return storable(text[:MAX_REASON_CHARACTERS])
