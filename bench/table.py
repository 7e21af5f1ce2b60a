"""The figures and the bars on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.bars import Bar
from bench.figures import Figure, Measured

COLOURS = {"ours": "bold green", "peer": "", "limit": "dim"}


def show(parts: Sequence[Measured], bars: Sequence[Bar], console: Console) -> None:
    for part in parts:
        console.print(_figures(part))
    if bars:
        console.print(_bars(bars))


def _figures(part: Measured) -> Table:
    title = f"{part.part}, {part.size}, {part.taken_at}, {part.seconds:.0f} s"
    table = Table(title=title, title_justify="left")
    table.add_column("work")
    table.add_column("who")
    table.add_column("median", justify="right")
    table.add_column("spread", justify="right")
    table.add_column("note", style="dim")
    before = ""
    for one in in_order(part.figures):
        if before and one.work != before:
            table.add_section()
        table.add_row(
            "" if one.work == before else one.work,
            one.who,
            f"{number(one.value)} {one.unit}",
            f"±{one.spread / 2:.0%}" if len(one.values) > 1 else "",
            f"[red]{one.failed} failed[/] {one.note}" if one.failed else one.note,
            style=COLOURS[one.kind],
        )
        before = one.work
    return table


def _bars(bars: Sequence[Bar]) -> Table:
    table = Table(title="bars", title_justify="left")
    for name in ("what", "measured", "bar", ""):
        table.add_column(name, justify="right" if name == "measured" else "left")
    for bar in bars:
        verdict = "[green]met[/]" if bar.ok else "[red]missed[/]"
        table.add_row(bar.what, bar.measured, bar.bar, verdict)
    return table


def in_order(figures: Sequence[Figure]) -> list[Figure]:
    """Work by work as they were measured; ours first, the limits last, the best of each on top."""
    works = list(dict.fromkeys(one.work for one in figures))
    kinds = ("ours", "peer", "limit")

    def rank(one: Figure) -> tuple[int, int, float]:
        best_is_most = one.unit.endswith(("/s", "/min", "/h")) or one.unit == "%"
        value = -one.value if best_is_most else one.value
        return works.index(one.work), kinds.index(one.kind), value

    return sorted(figures, key=rank)


def number(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
