"""Draws the figures: `build/bench/peers/bin/python -m bench.plots`, in the peers' environment."""

import re
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from bench.figures import ROOT, Figure, Measured, load

IMAGES = ROOT / "docs" / "images"
INK, FAINT, GRID = "#1f2933", "#7b8794", "#e4e7eb"
COLOURS = {"ours": "#0b7a75", "peer": "#b8c4ce", "limit": "#ffffff"}
LINES = {
    "Swather, SQLite": ("#0b7a75", "o"),
    "Swather, PostgreSQL": ("#0b7a75", "o"),
    "PgQueuer, PostgreSQL": ("#d9822b", "s"),
    "raw SQL, SQLite": ("#9aa5b1", "^"),
    "raw SQL, PostgreSQL": ("#9aa5b1", "^"),
}
CRAWLS = {
    "Scrapy, JOBDIR": "Scrapy, JOBDIR (% of 500 pages)",
    "Crawlee, SQL storage": "Crawlee, SQL storage (% of 500 pages)",
}
DEFAULT, RECOVER = "default settings", "set up for recovery"


def main() -> None:
    mpl.use("agg")
    plt.rcParams.update(
        {
            "axes.edgecolor": GRID,
            "axes.labelcolor": FAINT,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlecolor": INK,
            "axes.titlelocation": "left",
            "axes.titlesize": 12,
            "axes.titleweight": "bold",
            "font.size": 10,
            "legend.frameon": False,
            "text.color": INK,
            "xtick.color": FAINT,
            "ytick.color": INK,
            "ytick.major.size": 0,
        }
    )
    IMAGES.mkdir(exist_ok=True)
    for name, draw in PLOTS.items():
        if draw(name):
            print(IMAGES / f"{name}.png")


def _fetch(name: str) -> bool:
    works = {
        "fetch": ("fetch", "10 KB, 64 at once: pages/s"),
        "slow_pages": ("pages of 200 ms", "200 ms, 200 at once: pages/s"),
    }
    panels = [
        (heading, held, work)
        for part, (work, heading) in works.items()
        if (held := load(part)) is not None
    ]
    return _bar_panels(name, panels, "Fetching with one process")


def _queues(name: str) -> bool:
    held = load("drain")
    if held is None:
        return False
    works = ("enqueue", "drain, 1 process", "drain, 2 processes")
    panels = [(f"{work}, jobs/s", held, work) for work in works]
    return _bar_panels(name, panels, "Jobs that do nothing")


def _bar_panels(name: str, panels: Sequence[tuple[str, Measured, str]], title: str) -> bool:
    if not panels:
        return False
    rows = max(len(_of(held, work)) for _, held, work in panels)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(5.2 * len(panels), 1.2 + 0.36 * rows), squeeze=False
    )
    for axis, (heading, held, work) in zip(axes[0], panels, strict=True):
        _bars(axis, _of(held, work), heading)
    return _save(figure, name, title)


def _of(held: Measured, work: str) -> list[Figure]:
    # wrk is so far ahead of everything that keeps a page that nothing else would be seen.
    found = [one for one in held.figures if one.work == work and one.who != "wrk"]
    return sorted(found, key=lambda one: one.value)


def _bars(axis: Axes, figures: list[Figure], heading: str) -> None:
    """Horizontal bars with their values; the least and the greatest repeat as a thin line."""
    most = max(one.value for one in figures)
    for row, one in enumerate(figures):
        edge = FAINT if one.kind == "limit" else "none"
        hatch = "////" if one.kind == "limit" else ""
        axis.barh(row, one.value, 0.7, color=COLOURS[one.kind], edgecolor=edge, hatch=hatch)
        axis.plot([min(one.values), max(one.values)], [row, row], color=INK, linewidth=0.8)
        weight = "bold" if one.kind == "ours" else "normal"
        at = max(one.value, *one.values) + most * 0.015
        axis.text(at, row, _short(one.value), va="center", fontsize=9, fontweight=weight)
    axis.set_yticks(range(len(figures)), [one.who for one in figures])
    for label, one in zip(axis.get_yticklabels(), figures, strict=True):
        label.set_fontweight("bold" if one.kind == "ours" else "normal")
    axis.set_xlim(0, most * 1.18)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axis.grid(axis="x", color=GRID, linewidth=0.8)
    axis.set_axisbelow(True)
    axis.set_title(heading)


def _backlog(name: str) -> bool:
    held = load("backlog")
    if held is None:
        return False
    databases = ("SQLite", "PostgreSQL")
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), sharey=False)
    for axis, database in zip(axes, databases, strict=True):
        for who in LINES:
            if who.endswith(database):
                _line(axis, held, who)
        axis.set_xscale("log")
        axis.set_ylim(bottom=0)
        axis.set_xlabel("tasks that wait")
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
        axis.grid(color=GRID, linewidth=0.8)
        axis.set_title(f"{database}, ms")
        axis.legend(loc="best", fontsize=9)
    return _save(figure, name, "A claim of 10 tasks by backlog: p50 (line) and p99 (dots)")


def _line(axis: Axes, held: Measured, who: str) -> None:
    points = {50: {}, 99: {}}
    for one in held.figures:
        found = re.fullmatch(r"claim of 10, ([\d,]+) ready(, p99)?", one.work)
        if found and one.who == who:
            points[99 if found[2] else 50][int(found[1].replace(",", ""))] = one.value
    colour, marker = LINES[who]
    wide = 2.4 if who.startswith("Swather") else 1.6
    if points[50]:
        axis.plot(*_sorted(points[50]), color=colour, marker=marker, linewidth=wide, label=who)
        axis.plot(*_sorted(points[99]), color=colour, linestyle=":", linewidth=1.2, alpha=0.5)


def _sorted(points: dict[int, float]) -> tuple[list[int], list[float]]:
    depths = sorted(points)
    return depths, [points[depth] for depth in depths]


def _kill(name: str) -> bool:
    held = load("kill")
    if held is None:
        return False
    works = {how: _of(held, f"unfinished after kill -9, {how}") for how in (DEFAULT, RECOVER)}
    recovered = {one.who: one.value for one in works[RECOVER]}
    figures = sorted(works[DEFAULT], key=lambda one: (-one.value, one.kind == "ours", one.who))
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.42 * len(figures)))
    for row, one in enumerate(figures):
        colour = COLOURS["ours"] if one.kind == "ours" else "#c2410c"
        axis.barh(row, one.value, 0.62, color=colour)
        said = f"{one.value:.0f}" if one.value else "none"
        if one.who in recovered and one.value:
            kept = recovered[one.who]
            said += f"   ({kept:.0f} when set up for recovery)" if kept else "   (none when set up)"
        elif one.value:
            said += "   (no setting for it)"
        weight = "bold" if not one.value else "normal"
        axis.text(one.value + 0.4, row, said, va="center", fontsize=9, fontweight=weight)
    axis.set_yticks(range(len(figures)), [CRAWLS.get(one.who, one.who) for one in figures])
    for label, one in zip(axis.get_yticklabels(), figures, strict=True):
        label.set_fontweight("bold" if one.kind == "ours" else "normal")
    most = max(one.value for one in figures)
    axis.set_xlim(0, max(most * 1.45, 10))
    axis.grid(axis="x", color=GRID, linewidth=0.8)
    axis.set_axisbelow(True)
    title = "kill -9 in the middle of 100 jobs: not finished a minute after the restart"
    return _save(figure, name, title)


PLOTS = {
    "bench-fetch": _fetch,
    "bench-queues": _queues,
    "bench-backlog": _backlog,
    "bench-kill": _kill,
}


def _short(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    if value >= 10_000:
        return f"{value / 1_000:.0f}k"
    if value >= 1_000:
        return f"{value / 1_000:.1f}k".replace(".0k", "k")
    return f"{value:.0f}"


def _save(figure: mpl.figure.Figure, name: str, title: str) -> bool:
    figure.suptitle(title, x=0.01, ha="left", fontsize=14, fontweight="bold")
    figure.tight_layout()
    figure.savefig(IMAGES / f"{name}.png", dpi=150, metadata={"Software": None})
    plt.close(figure)
    return True


if __name__ == "__main__":
    main()
