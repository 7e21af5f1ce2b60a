"""From samples and measurements to evenly spaced points."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeVar

from swather.model.history import HistoryPoint, Measured, quantile
from swather.model.history_bounds import bounded_groups, bounded_lanes

K = TypeVar("K", str, int)
N = TypeVar("N", int, float)

# A shorter history is drawn over a second.
MIN_SECONDS: Final = 1.0


class Totals(NamedTuple):
    """What has ended so far."""

    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    retried: int = 0
    items: int = 0


class Sample(NamedTuple):
    """The state of things at a time, in seconds since 1970."""

    at: float
    totals: Totals = Totals()
    ready: int = 0
    scheduled: int = 0
    leased: int = 0


class Span(NamedTuple):
    """What was measured in `seconds` from `at` on."""

    at: float
    seconds: float
    measured: Measured


class Window(NamedTuple):
    """From when to when, in how many points."""

    start: float
    end: float
    points: int

    @classmethod
    def of(cls, start: float, end: float, points: int) -> "Window":
        return cls(min(start, end - MIN_SECONDS), end, points)

    @property
    def step(self) -> float:
        return (self.end - self.start) / self.points


class _Bin:
    """What was measured during a point."""

    def __init__(self) -> None:
        self.statuses: dict[str, float] = {}
        self.classes: dict[str, float] = {}
        self.latency: dict[int, float] = {}

    def add(self, measured: Measured, share: float) -> None:
        _add(self.statuses, measured.statuses, share)
        _add(self.classes, measured.classes, share)
        _add(self.latency, measured.latency, share)


def points_of(
    samples: Sequence[Sample], spans: Sequence[Span], window: Window
) -> list[HistoryPoint]:
    """Samples in order of time. Between two of them, tasks ended at an even pace."""
    samples = samples or [Sample(window.start)]
    times = [sample.at for sample in samples]
    bins = _bins(spans, window)
    step = window.step
    points = []
    before = _totals_at(window.start, samples, times)
    for number, measured in enumerate(bins, 1):
        at = window.start + number * step if number < window.points else window.end
        after = _totals_at(at, samples, times)
        # Clocks that are set back must not make rates negative.
        rates = [max(b - a, 0.0) / step for a, b in zip(before, after, strict=True)]
        now = samples[max(bisect_right(times, at) - 1, 0)]
        points.append(
            HistoryPoint(
                at=datetime.fromtimestamp(at, UTC),
                seconds=step,
                **dict(zip(Totals._fields, rates, strict=True)),
                ready=now.ready,
                scheduled=now.scheduled,
                leased=now.leased,
                latency_p50=quantile(measured.latency, 0.5),
                latency_p95=quantile(measured.latency, 0.95),
                statuses={name: n / step for name, n in measured.statuses.items()},
                classes={name: n / step for name, n in measured.classes.items()},
            )
        )
        before = after
    return points


def merged(parts: Sequence[Measured]) -> Measured:
    """All of them together, with as many groups and lanes as one may name."""
    statuses: dict[str, int] = {}
    latency: dict[int, int] = {}
    classes: dict[str, int] = {}
    groups: dict[str, int] = {}
    lanes: dict[str, tuple[int, int]] = {}
    for part in parts:
        _add(statuses, part.statuses, 1)
        _add(latency, part.latency, 1)
        _add(classes, part.classes, 1)
        _add(groups, part.groups, 1)
        for lane, (answers, too_many) in part.lanes.items():
            known = lanes.get(lane, (0, 0))
            lanes[lane] = known[0] + answers, known[1] + too_many
    kept_groups = bounded_groups(groups, sum(part.groups_left_out for part in parts))
    kept_lanes = bounded_lanes(lanes, sum(part.lanes_left_out for part in parts))
    return Measured(
        statuses=statuses,
        latency=latency,
        classes=classes,
        groups=kept_groups.named,
        groups_left_out=kept_groups.left_out,
        lanes=kept_lanes.named,
        lanes_left_out=kept_lanes.left_out,
    )


def _totals_at(at: float, samples: Sequence[Sample], times: Sequence[float]) -> list[float]:
    after = bisect_right(times, at)
    if after == 0:
        return [float(n) for n in samples[0].totals]
    if after == len(samples):
        return [float(n) for n in samples[-1].totals]
    a, b = samples[after - 1], samples[after]
    share = (at - a.at) / (b.at - a.at)
    return [x + share * (y - x) for x, y in zip(a.totals, b.totals, strict=True)]


def _bins(spans: Sequence[Span], window: Window) -> list[_Bin]:
    bins = [_Bin() for _ in range(window.points)]
    for span in spans:
        for number, share in _shares(span, window):
            bins[number].add(span.measured, share)
    return bins


def _shares(span: Span, window: Window) -> Iterator[tuple[int, float]]:
    """Which share of a span is in which points. What is still being measured ends now, and what was
    told late belongs to the last point.
    """
    end = min(span.at + span.seconds, window.end)
    seconds = end - span.at
    if seconds <= 0:
        yield window.points - 1, 1.0
        return
    first = max(span.at, window.start)
    step = window.step
    number = int((first - window.start) / step)
    while number < window.points and window.start + number * step < end:
        left = max(first, window.start + number * step)
        right = min(end, window.start + (number + 1) * step)
        if right > left:
            yield number, (right - left) / seconds
        number += 1


def _add(to: dict[K, N], more: Mapping[K, int], share: N) -> None:
    for name, n in more.items():
        to[name] = to.get(name, 0) + n * share
