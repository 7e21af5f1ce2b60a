"""What the two stores share about history: what a sample adds, and what becomes of old rows."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.history import HistoryPoint, Measured
from swather.model.history_points import Sample, Span, Totals, Window, merged, points_of
from swather.store.checks import MAX_SECONDS

# Run 0 is all runs together.
ALL_RUNS: Final = 0
MINUTE: Final = 60.0
# Measurements that are older than a day are kept by spans of this length.
LONG_SPAN: Final = 600.0
LONG_SPAN_AFTER_SECONDS: Final = 86_400.0
# The counts of an ended run may still change for a while: its tasks are cancelled in batches.
ENDING_SECONDS: Final = 600.0
MAX_POINTS: Final = 2_000
SHARDS: Final = 16
# How much history one call of `thin` goes through.
THIN_SPAN: Final = 2 * MINUTE
THIN_STEPS: Final = 20
OLD_BATCH: Final = 1_000

# The counters that a sample reads; the first five never shrink in it.
COUNTED: Final = ("completed", "failed", "cancelled", "retries", "items")
GAUGES: Final = ("ready", "scheduled", "leased")
NAMES: Final = (*COUNTED, *GAUGES)

_measured = msgspec.json.Decoder(Measured, strict=False)


class Last(msgspec.Struct, frozen=True):
    """What the last sample of a run has found: its counters, and the totals so far."""

    at: float
    counts: dict[str, int] = {}
    totals: tuple[int, ...] = (0, 0, 0, 0, 0)


class Seen(NamedTuple):
    """A run at the time of a sample."""

    run_id: int
    created_at: float
    finished_at: float | None
    last: str | None
    counts: Mapping[str, int]


class Row(NamedTuple):
    """A row of history_samples."""

    run_id: int
    at: float
    completed: int
    failed: int
    cancelled: int
    retried: int
    items: int
    ready: int
    scheduled: int
    leased: int


class Taken(NamedTuple):
    """The rows of a sample, and the new `last` of runs."""

    rows: list[Row]
    lasts: dict[int, str]


def take_sample(seen: Iterable[Seen], overall: str | None, *, now: float, previous: float) -> Taken:
    """`previous`: the time of the last sample, 0 if there was none; `overall`: what it found of all
    runs together.
    """
    rows: list[Row] = []
    lasts: dict[int, str] = {}
    added = (0,) * len(COUNTED)
    gauges = dict.fromkeys(GAUGES, 0)
    first_at, changed_at = now, previous
    for run in seen:
        last = last_of(run.last, run.created_at)
        first_at = min(first_at, run.created_at)
        for name in GAUGES:
            gauges[name] += run.counts.get(name, 0)
        at = now
        if run.finished_at is not None and last.at < run.finished_at < now:
            at = run.finished_at
        new = followed(last, run.counts, at)
        if new is None:
            continue
        added = tuple(a + n - o for a, n, o in zip(added, new.totals, last.totals, strict=True))
        changed_at = max(changed_at, new.at)
        rows += _rows_of(run.run_id, last, new, previous)
        lasts[run.run_id] = encoded(new)
    all_runs = last_of(overall, first_at)
    if any(added) or all_runs.counts != gauges or overall is None:
        totals = tuple(total + more for total, more in zip(all_runs.totals, added, strict=True))
        # What ended with its runs, long before anybody looked again, is not spread until now.
        new = Last(max(changed_at if any(added) else now, all_runs.at), gauges, totals)
        if overall is None:
            rows.append(_row_of(ALL_RUNS, all_runs))
        rows += _rows_of(ALL_RUNS, all_runs, new, previous)
        lasts[ALL_RUNS] = encoded(new)
    return Taken(list({(row.run_id, row.at): row for row in rows}.values()), lasts)


def followed(last: Last, counts: Mapping[str, int], at: float) -> Last | None:
    """What follows on the last sample; None if nothing has changed."""
    read = {name: counts[name] for name in NAMES if counts.get(name)}
    if read == last.counts:
        return None
    totals = tuple(
        total + max(read.get(name, 0) - last.counts.get(name, 0), 0)
        for name, total in zip(COUNTED, last.totals, strict=True)
    )
    return Last(max(at, last.at), read, totals)


def last_of(encoded_last: str | None, created_at: float) -> Last:
    if encoded_last is None:
        return Last(created_at)
    return msgspec.json.decode(encoded_last, type=Last)


def encoded(value: Last | Measured) -> str:
    return msgspec.json.encode(value).decode()


def measured_of(data: str) -> Measured:
    return _measured.decode(data)


def known_samples(
    last: Last, latest: Last | None, *, created_at: float, sampled_at: float
) -> list[Sample]:
    """What is known of a run besides its rows: its beginning, and how it stands."""
    known = [Sample(created_at), sample_of(latest or last)]
    if latest is not None and last.at < sampled_at < latest.at:
        known.append(sample_of(Last(sampled_at, last.counts, last.totals)))
    return known


def sample_of(last: Last) -> Sample:
    row = _row_of(ALL_RUNS, last)
    return Sample(last.at, Totals(*last.totals), row.ready, row.scheduled, row.leased)


def read_samples(rows: Iterable[tuple[Any, ...]]) -> list[Sample]:
    return [Sample(row[0], Totals(*row[1:6]), *row[6:9]) for row in rows]


def read_spans(rows: Iterable[tuple[float, float, str]], began_at: float) -> list[Span]:
    """Nothing was measured before what is drawn began."""
    return [
        Span(max(at, began_at), min(seconds, at + seconds - began_at), measured_of(data))
        for at, seconds, data in rows
    ]


def draw(samples: list[Sample], spans: list[Span], window: Window) -> list[HistoryPoint]:
    samples.sort(key=lambda sample: sample.at)
    return points_of(samples, spans, window)


def check_window(seconds: float, points: int) -> float:
    """How many seconds to look back."""
    if not (type(points) is int and 0 < points <= MAX_POINTS):
        raise InputError(f"points must be from 1 to {MAX_POINTS:,}, got {points!r}")
    if not seconds > 0:
        raise InputError(f"seconds must be more than 0, got {seconds!r}")
    return min(seconds, MAX_SECONDS)


class Merge(NamedTuple):
    """Rows of measurements that become one."""

    run_id: int
    at: float
    seconds: float
    data: str
    instead_of: list[tuple[float, int]]


def merges_of(rows: Iterable[tuple[int, float, int, str]], seconds: float) -> list[Merge]:
    """From rows of (run, at, shard, data) those that are in the same span of a run."""
    groups: dict[tuple[int, float], list[tuple[float, int, str]]] = {}
    for run_id, at, shard, data in rows:
        groups.setdefault((run_id, at // seconds * seconds), []).append((at, shard, data))
    return [
        Merge(
            run_id,
            start,
            seconds,
            encoded(merged([measured_of(data) for _, _, data in group])),
            [(at, shard) for at, shard, _ in group],
        )
        for (run_id, start), group in groups.items()
        if len(group) > 1
    ]


def _rows_of(run_id: int, last: Last, new: Last, previous: float) -> list[Row]:
    """Nothing had changed until the sample before this."""
    rows = [_row_of(run_id, new)]
    if last.at < previous < new.at:
        rows.insert(0, _row_of(run_id, Last(previous, last.counts, last.totals)))
    return rows


def _row_of(run_id: int, last: Last) -> Row:
    gauges = (max(last.counts.get(name, 0), 0) for name in GAUGES)
    return Row(run_id, last.at, *last.totals, *gauges)
