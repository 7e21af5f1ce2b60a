"""Converts notes on sources to the rows that both databases write, and rows back to statistics."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.error_title import error_title
from swather.model.notice import NewNotice
from swather.model.payload import storable
from swather.model.source import (
    FAILURES_TO_OPEN,
    FIRST_OPEN_SECONDS,
    MAX_OPEN_SECONDS,
    Answer,
    BreakerState,
    SourceBreaker,
    SourceNote,
    SourceProgress,
    SourceState,
    SourceStats,
    UnderWay,
)
from swather.model.task import check_name
from swather.store.checks import check_seconds
from swather.store.notice_rows import source_opened

COUNT_PREFIX: Final = "count:"
ERROR_PREFIX: Final = "error:"
CURVE: Final = {
    "to_open": FAILURES_TO_OPEN,
    "first_seconds": FIRST_OPEN_SECONDS,
    "max_seconds": MAX_OPEN_SECONDS,
}
MAX_REASON_CHARACTERS: Final = 200
HOUR_SECONDS: Final = 3_600.0

_Key = tuple[str, str]
_NOTHING: Final = UnderWay()
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


def checked_progress(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What an attempt reports of its sources, as it is stored."""
    checked: dict[str, Any] = {}
    for name, progress in sources.items():
        try:
            read = msgspec.convert(dict(progress), SourceProgress)
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            raise InputError(
                f"the progress of source {name!r} must be a dict such as "
                f'{{"state": "asking", "done": 3, "total": 20}}, got {progress!r}: {error}'
            ) from error
        checked[check_source(name)] = msgspec.to_builtins(read)
    return checked


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


def opened(blamed: Iterable[Sequence[Any]]) -> Iterator[tuple[str, NewNotice]]:
    """The notices of breakers that have opened since the source last succeeded, each with its
    scraper. Until it is probed, further failures bring the same notice again; a failed probe, none.
    """
    for scraper, source, failures, reason, openings, open_until in blamed:
        if openings == 1 and open_until is not None:
            yield scraper, source_opened(scraper, source, failures, reason, str(open_until))


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
    scraper: str | None = None,
) -> list[SourceStats]:
    """By scraper and source, in order of their names: from sums by name, and from breakers."""
    sums, known = _sums(rows), _breakers(breakers)
    return [
        _stats(key, sums[key], known.get(key))
        for key in sorted(sums.keys() | known.keys())
        if scraper in (None, key[0])
    ]


def of_run(
    scraper: str,
    rows: Iterable[Sequence[Any]],
    breakers: Iterable[Sequence[Any]],
    reports: Iterable[str],
) -> list[SourceStats]:
    """The same for a run, and with what its running attempts report."""
    sums, known = _sums(rows), _breakers(breakers)
    reported = _reported(reports)
    keys = sums.keys() | {(scraper, name) for name in reported}
    return [
        _stats(key, sums[key], known.get(key), _under_way(reported.get(key[1], [])))
        for key in sorted(keys)
    ]


def _sums(rows: Iterable[Sequence[Any]]) -> dict[_Key, dict[str, float]]:
    sums: dict[_Key, dict[str, float]] = defaultdict(dict)
    for scraper, source, name, amount in rows:
        sums[scraper, source][name] = amount
    return sums


def _breakers(rows: Iterable[Sequence[Any]]) -> dict[_Key, SourceBreaker]:
    return {(row[0], row[1]): breaker_of(*row[2:]) for row in rows}


def _reported(reports: Iterable[str]) -> dict[str, list[SourceProgress]]:
    """By source. Whatever else a scraper reports is none of our business."""
    found: dict[str, list[SourceProgress]] = defaultdict(list)
    for report in reports:
        try:
            sources = _report.decode(report).sources
        except msgspec.DecodeError:
            continue
        for name, progress in sources.items():
            found[name].append(progress)
    return found


class _Report(msgspec.Struct):
    sources: dict[str, SourceProgress] = {}


_report: Final = msgspec.json.Decoder(_Report)
_LIVELIEST: Final = ("asking", "waiting", "failed", "skipped", "done")


def _under_way(reported: Sequence[SourceProgress]) -> UnderWay:
    asking = [each for each in reported if each.state == "asking"]
    states = {each.state for each in reported}
    return UnderWay(
        state=next((state for state in _LIVELIEST if state in states), ""),
        waiting=sum(each.state == "waiting" for each in reported),
        asking=len(asking),
        done=sum(each.done for each in asking),
        total=sum(each.total for each in asking),
    )


def _stats(
    key: _Key,
    sums: dict[str, float],
    breaker: SourceBreaker | None,
    under_way: UnderWay = _NOTHING,
) -> SourceStats:
    scraper, source = key
    failures = _named(sums, ERROR_PREFIX)
    return SourceStats(
        scraper=scraper,
        source=source,
        succeeded=_whole(sums.get(Answer.SUCCEEDED)),
        failed=_whole(sums.get(Answer.FAILED)),
        skipped=_whole(sums.get(Answer.SKIPPED)),
        seconds=sums.get("seconds", 0.0),
        counts=dict(sorted(_named(sums, COUNT_PREFIX).items())),
        failures=dict(sorted(failures.items(), key=lambda each: (-each[1], each[0]))),
        breaker=breaker or SourceBreaker(),
        under_way=under_way,
    )


def _named(sums: dict[str, float], prefix: str) -> dict[str, int]:
    return {
        name.removeprefix(prefix): _whole(amount)
        for name, amount in sums.items()
        if name.startswith(prefix)
    }


def _whole(amount: float | None) -> int:
    """Whatever the database holds: others may write to it."""
    return int(amount) if amount is not None and math.isfinite(amount) else 0


def _clipped(text: str) -> str:
    return storable(text[:MAX_REASON_CHARACTERS])
