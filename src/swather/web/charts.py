"""History as charts: what a page draws, and the same numbers as words and as a table."""

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Final

import msgspec

from swather.model.history import HistoryPoint
from swather.runs.words import duration
from swather.store import Store
from swather.store.ports.history import SAMPLE_SECONDS
from swather.web.brief import line
from swather.web.drawing import part
from swather.web.words import per_second

POINTS: Final = 120
_ROWS: Final = 12
_SHORTEST_SECONDS: Final = 120.0
_MOST_SERIES: Final = 6
_STATES: Final = {"2": "completed", "3": "running", "4": "scheduled", "5": "failed"}
_REFUSED: Final = {"403": "blocked", "429": "blocked"}
_CLASSES: Final = {
    "transient": "scheduled",
    "timeout": "running",
    "blocked": "blocked",
    "permanent": "failed",
    "proxy": "cancelled",
    "crash": "ready",
}


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers over time, in the colour of a state; None where nothing was measured."""

    name: str
    state: str
    values: list[float | None]


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """`unit` is '/s' or 's'. In a stacked chart the first series is at the bottom."""

    key: str
    title: str
    unit: str
    stacked: bool
    series: list[Series]

    def shown(self, value: float | None) -> str:
        if value is None:
            return "\N{EN DASH}"
        return per_second(value) if self.unit == "/s" else duration(value)


class Charted:
    """The charts of a page: read as often as there is a new sample, however often they are asked
    for.
    """

    def __init__(self, charts: "Charts", seconds: float) -> None:
        self._charts = charts
        self._seconds = seconds
        self._due = 0.0
        self._drawn = ""

    def read(self, store: Store) -> str:
        if monotonic() >= self._due:
            self._drawn = draw(self._charts(store, self._seconds))
            self._due = monotonic() + SAMPLE_SECONDS
        return self._drawn


class Drawn(msgspec.Struct, frozen=True):
    """`at`: the end of each point, in seconds since 1970."""

    points: list[HistoryPoint]
    charts: list[Chart]

    @property
    def at(self) -> list[float]:
        return [round(point.at.timestamp(), 3) for point in self.points]

    def as_json(self) -> str:
        return msgspec.json.encode({"at": self.at, "charts": self.charts}).decode()

    def rows(self) -> list[tuple[HistoryPoint, list[str]]]:
        """Some of the points, the newest first, with the number of each series."""
        step = max(len(self.points) // _ROWS, 1)
        chosen = range(len(self.points) - 1, -1, -step)
        return [
            (
                self.points[i],
                [chart.shown(series.values[i]) for chart in self.charts for series in chart.series],
            )
            for i in chosen
        ]


Charts = Callable[[Store, float], Drawn]


def of_everything(store: Store, seconds: float) -> Drawn:
    """A history that has just begun is not drawn at the edge of an empty hour."""
    points = store.history.overall(seconds=seconds, points=POINTS)
    active = next((i for i, p in enumerate(points) if p.completed or p.failed or p.cancelled), 0)
    if active > POINTS // 2:
        shorter = max(seconds * (POINTS - active + 2) / POINTS, _SHORTEST_SECONDS)
        points = store.history.overall(seconds=shorter, points=POINTS)
    return Drawn(points, [_throughput(points)])


def of_run(run: str) -> Charts:
    def read(store: Store, seconds: float) -> Drawn:
        points = store.history.of_run(run, seconds=seconds, points=POINTS)
        return Drawn(
            points, [_throughput(points), _latency(points), _statuses(points), _classes(points)]
        )

    return read


def draw(drawn: Drawn) -> str:
    return part("charts.html", drawn=drawn)


def _throughput(points: Sequence[HistoryPoint]) -> Chart:
    series = [
        Series(name=state, state=state, values=_rounded(getattr(p, state) for p in points))
        for state in ("completed", "failed", "cancelled")
    ]
    shown = [each for each in series if each.name != "cancelled" or any(each.values)]
    return Chart(key="throughput", title="Throughput", unit="/s", stacked=True, series=shown)


def _latency(points: Sequence[HistoryPoint]) -> Chart:
    return Chart(
        key="latency",
        title="Time per attempt",
        unit="s",
        stacked=False,
        series=[
            Series(name="p50", state="running", values=_rounded(p.latency_p50 for p in points)),
            Series(name="p95", state="scheduled", values=_rounded(p.latency_p95 for p in points)),
        ],
    )


def _statuses(points: Sequence[HistoryPoint]) -> Chart:
    return Chart(
        key="statuses",
        title="HTTP status",
        unit="/s",
        stacked=True,
        series=[
            Series(
                name=line(status, 20),
                state=_REFUSED.get(status) or _STATES.get(status[:1], "cancelled"),
                values=_rounded(p.statuses.get(status, 0.0) for p in points),
            )
            for status in _frequent([p.statuses for p in points])
        ],
    )


def _classes(points: Sequence[HistoryPoint]) -> Chart:
    return Chart(
        key="classes",
        title="Retries and failures",
        unit="/s",
        stacked=True,
        series=[
            Series(
                name=line(error_class, 20),
                state=_CLASSES.get(error_class, "cancelled"),
                values=_rounded(p.classes.get(error_class, 0.0) for p in points),
            )
            for error_class in _frequent([p.classes for p in points])
        ],
    )


def _frequent(counted: Iterable[dict[str, float]]) -> list[str]:
    """The names that come most often, in an order that stays."""
    sums: dict[str, float] = {}
    for each in counted:
        for name, number in each.items():
            sums[name] = sums.get(name, 0.0) + number
    return sorted(sorted(sums, key=lambda name: -sums[name])[:_MOST_SERIES])


def _rounded(values: Iterable[float | None]) -> list[float | None]:
    return [None if value is None else round(value, 4) for value in values]
