"""The picture of a run at one moment, as wide as the terminal."""

from collections.abc import Iterator
from time import monotonic
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from swather.model.source import SourceStats
from swather.runs.progress import Snapshot
from swather.runs.reason import Reason
from swather.runs.source_lines import expected, half_answered, in_words, next_try
from swather.runs.words import duration, rate
from swather.runs.worker_line import WorkerLine
from swather.visible import visible_line

MAX_WORKERS_SHOWN: Final = 8
MAX_REASONS_SHOWN: Final = 3
MAX_SOURCES_SHOWN: Final = 12
_MAX_SOURCE: Final = 20
_SOURCE_BAR: Final = 16
# No snapshot for so long: what takes them waits for the database.
STALE_SECONDS: Final = 2.5
_INDENT: Final = "    "


class Drawing:
    """A snapshot, drawn; also when none has followed it for a while."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._taken_at = monotonic()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        snapshot = self._snapshot
        age = monotonic() - self._taken_at
        yield _head(snapshot)
        yield from _states(snapshot, options.max_width)
        if snapshot.limited_by and not snapshot.stops and not snapshot.is_over:
            yield _line(f"limited by {snapshot.limited_by}", "dim")
        if age > STALE_SECONDS and not snapshot.is_over:
            yield Text(f"The database has not answered for {duration(age)}.", style="yellow")
        for reason in [] if snapshot.is_over else snapshot.stops[:MAX_REASONS_SHOWN]:
            yield from _reason(reason, options.max_width)
        if snapshot.sources:
            yield _sources(snapshot)
        yield from _errors(snapshot)
        for worker in snapshot.workers[:MAX_WORKERS_SHOWN]:
            yield _worker(worker)
        if (more := len(snapshot.workers) - MAX_WORKERS_SHOWN) > 0:
            yield _line(f"and {more:,} more workers", "dim")


def _head(snapshot: Snapshot) -> RenderableType:
    counts = snapshot.counts
    head = Table.grid(padding=(0, 2, 0, 0), expand=True)
    head.add_column(no_wrap=True)
    head.add_column(ratio=1)
    head.add_column(no_wrap=True)
    head.add_row(
        Text(f"{counts.done:,} of {counts.total:,}", style="bold"),
        ProgressBar(total=max(counts.total, 1), completed=counts.done, pulse=snapshot.loading),
        Text("  ".join(_pace(snapshot))),
    )
    return head


def _pace(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.is_over:
        return
    if snapshot.rate_per_second:
        yield rate(snapshot.rate_per_second)
    if snapshot.paused:
        yield "paused"
    elif snapshot.loading:
        yield "loading"
    elif snapshot.counts.unfinished:
        yield f"ETA {snapshot.estimated_completion or 'unknown'}"


def _states(snapshot: Snapshot, width: int) -> Iterator[Text]:
    """As many lines as it takes; a name and its number stay together."""
    counts = snapshot.counts
    said = [
        ("ready", counts.ready, ""),
        ("running", snapshot.running, "cyan"),
        ("prefetched", snapshot.prefetched, "dim"),
        ("to retry", counts.scheduled, "yellow"),
        ("completed", counts.completed, "green"),
        ("failed", counts.failed, "red"),
        ("cancelled", counts.cancelled, "dim"),
        ("items", counts.items, ""),
        ("files", counts.files, ""),
        ("retries", counts.retries, ""),
    ]
    always = {"running", "completed", "failed", "items"}
    parts = [
        Text(f"{name} {number:,}", style=style if number else "dim")
        for name, number, style in said
        if number or name in always
    ]
    parts.append(Text(f"elapsed {duration(snapshot.seconds)}", style="dim"))
    line = Text(no_wrap=True, overflow="ellipsis")
    for part in parts:
        if line and line.cell_len + 3 + part.cell_len > width:
            yield line
            line = Text(no_wrap=True, overflow="ellipsis")
        line.append_text(Text(" · ") if line else Text()).append_text(part)
    yield line


def _reason(reason: Reason, width: int) -> Iterator[Text]:
    yield Text(visible_line(reason.in_brief), style="yellow")
    for line in fitted(reason.command, width - len(_INDENT)):
        yield _line(_INDENT + line, "cyan")


def fitted(command: str, width: int) -> list[str]:
    """A command in lines that can be copied as they are, cut only before an option."""
    if not command or len(command) <= width:
        return [command] if command else []
    lines = [""]
    for number, option in enumerate(command.split(" --")):
        word = option if number == 0 else f"--{option}"
        if lines[-1] and len(lines[-1]) + len(word) + 3 > width:
            lines.append(f"  {word}")
        else:
            lines[-1] = f"{lines[-1]} {word}".strip() if lines[-1] else word
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _sources(snapshot: Snapshot) -> RenderableType:
    """A bar for each: what has succeeded, failed and was skipped, what is half done, and the
    rest.
    """
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(no_wrap=True, max_width=_MAX_SOURCE)
    table.add_column(no_wrap=True, width=_SOURCE_BAR)
    table.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
    for stats in snapshot.sources[:MAX_SOURCES_SHOWN]:
        style = "red" if stats.state == "failed" else "dim" if stats.state == "skipped" else ""
        table.add_row(
            Text(visible_line(stats.source), overflow="ellipsis"),
            _source_bar(stats, expected(stats, snapshot.counts.total, is_over=snapshot.is_over)),
            Text(visible_line(in_words(stats) + next_try(stats)), style=style),
        )
    if (more := len(snapshot.sources) - MAX_SOURCES_SHOWN) > 0:
        table.add_row(Text(f"and {more:,} more", style="dim"))
    return table


def _source_bar(stats: SourceStats, total: float) -> Text:
    parts = (
        (stats.succeeded, "green"),
        (stats.failed, "red"),
        (stats.skipped, "yellow"),
        (half_answered(stats), "cyan"),
    )
    bar = Text(no_wrap=True)
    shown = so_far = 0.0
    for amount, style in parts:
        so_far += amount
        end = min(int(_SOURCE_BAR * so_far / total), _SOURCE_BAR)
        bar.append("━" * int(end - shown), style=style)
        shown = end
    return bar.append("─" * int(_SOURCE_BAR - shown), style="dim")


def _errors(snapshot: Snapshot) -> Iterator[Text]:
    if snapshot.errors:
        yield _line("errors  " + " · ".join(snapshot.errors_in_words), "red")
    for error in snapshot.recent_errors:
        yield _line(_INDENT + error.in_words, "red")


def _worker(worker: WorkerLine) -> Text:
    parts = [
        worker.name,
        worker.mode if worker.paused else f"{worker.running:,} running",
        f"{worker.completed:,} completed",
    ]
    if worker.failed:
        parts.append(f"{worker.failed:,} failed")
    if worker.average_seconds is not None:
        parts.append(f"{duration(worker.average_seconds)} each")
    if worker.current:
        parts.append(worker.current[0].target)
    return _line(" · ".join(parts), "dim")


def _line(text: str, style: str) -> Text:
    return Text(visible_line(text), style=style, no_wrap=True, overflow="ellipsis")
