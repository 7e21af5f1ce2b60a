"""Figures, their bars, and how they are shown."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One measured value. `raw` is the same work in hand-written SQL in the same run, `ok` says
    whether the bar was reached (None = there is no bar).
    """

    part: str
    database: str
    name: str
    value: float
    unit: str
    raw: float | None = None
    bar: str = ""
    ok: bool | None = None

    @property
    def ratio(self) -> float | None:
        return self.value / self.raw if self.raw else None


def at_least(figure: Figure, *, ratio: float | None = None, value: float | None = None) -> Figure:
    """The figure with a bar it must not fall short of: part of the raw one, or a value."""
    return _barred(figure, "≥", ratio, value, lambda measured, bar: measured >= bar)


def at_most(figure: Figure, *, ratio: float | None = None, value: float | None = None) -> Figure:
    """The figure with a bar it must not go over."""
    return _barred(figure, "≤", ratio, value, lambda measured, bar: measured <= bar)


def _barred(
    figure: Figure,
    sign: str,
    ratio: float | None,
    value: float | None,
    holds: Callable[[float, float], bool],
) -> Figure:
    bars, met = [], []
    if ratio is not None and figure.ratio is not None:
        bars.append(f"ratio {sign} {ratio:.2f}")
        met.append(holds(figure.ratio, ratio))
    if value is not None:
        bars.append(f"{sign} {value:,g} {figure.unit}")
        met.append(holds(figure.value, value))
    return Figure(**{**asdict(figure), "bar": ", ".join(bars), "ok": all(met)})


def show(figures: Sequence[Figure], console: Console) -> None:
    table = Table(title="The store beside hand-written SQL", title_justify="left")
    for heading in ("part", "database", "figure"):
        table.add_column(heading)
    for heading in ("measured", "raw / base", "ratio"):
        table.add_column(heading, justify="right")
    table.add_column("bar")
    table.add_column("")
    before = ""
    for figure in figures:
        if before and figure.part != before:
            table.add_section()
        table.add_row(
            figure.part if figure.part != before else "",
            figure.database,
            figure.name,
            f"{_number(figure.value)} {figure.unit}",
            "" if figure.raw is None else f"{_number(figure.raw)} {figure.unit}",
            "" if figure.ratio is None else f"{figure.ratio:.2f}",
            figure.bar,
            {True: "[green]ok[/]", False: "[red]missed[/]", None: ""}[figure.ok],
        )
        before = figure.part
    console.print(table)


def as_json(figures: Sequence[Figure], setting: dict[str, Any]) -> str:
    rows = [{**asdict(figure), "ratio": figure.ratio} for figure in figures]
    return json.dumps({"setting": setting, "figures": rows}, indent=2)


def _number(value: float) -> str:
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
