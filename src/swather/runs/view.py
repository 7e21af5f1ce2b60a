"""Shows a run's progress: a live bar on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, redirect_stderr, redirect_stdout
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TextIO, cast

from swather.masking import masked_data
from swather.model.run import Counts
from swather.runs.progress import Snapshot, WorkerLine
from swather.runs.words import duration, rate
from swather.visible import visible_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from swather.runs.console import PlainConsole

MAX_WORKERS_SHOWN: Final = 8
MAX_ERRORS_SHOWN: Final = 6
SECONDS_PER_LINE: Final = 5.0
_FIRST_LINE_AFTER_SECONDS: Final = 1.0
_FRAMES_PER_SECOND: Final = 8


class View(Protocol):
    """Somewhere to show a run."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def say(self, line: str) -> None: ...
    def show(self, snapshot: Snapshot) -> None: ...


def view_on(console: "PlainConsole") -> View:
    """A live picture on a terminal, lines elsewhere."""
    return Picture(console) if console.is_terminal or console.is_jupyter else Lines(console)


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def show(self, snapshot: Snapshot) -> None:
        pass


class WrappingView:
    """Shows a run through another view; a subclass may change or watch what is shown."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __enter__(self) -> Self:
        self._view.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._view.__exit__(kind, error, trace)

    def say(self, line: str) -> None:
        self._view.say(line)

    def show(self, snapshot: Snapshot) -> None:
        self._view.show(snapshot)


class Lines(Silent):
    """A line every few seconds, and one at the end."""

    def __init__(self, console: "PlainConsole") -> None:
        self._console = console
        self._next_at = monotonic() + _FIRST_LINE_AFTER_SECONDS
        self._last: Counts | None = None

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)

    def show(self, snapshot: Snapshot) -> None:
        if monotonic() < self._next_at and not snapshot.is_over:
            return
        self._next_at = monotonic() + SECONDS_PER_LINE
        if snapshot.counts != self._last:
            self._last = snapshot.counts
            self.say(in_a_line(snapshot))


class Picture:
    """A bar, the counts, the errors and the workers, redrawn in place."""

    def __init__(self, console: "PlainConsole") -> None:
        from rich.live import Live  # noqa: PLC0415 - only where it is drawn

        self._console = console
        # Not rich's own redirection, which accepts colours and links from whatever is printed.
        self._live = Live(
            console=console,
            refresh_per_second=_FRAMES_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._redirection = ExitStack()

    def __enter__(self) -> Self:
        from swather.runs.console import LinesAbove  # noqa: PLC0415

        for redirect in (redirect_stdout, redirect_stderr):
            aside = self._redirection.enter_context(closing(LinesAbove(self._console)))
            self._redirection.enter_context(redirect(cast("TextIO", aside)))
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._redirection.close()
        self._live.stop()

    def say(self, line: str) -> None:
        self._console.print(line)

    def show(self, snapshot: Snapshot) -> None:
        self._live.update(drawn(snapshot))


def in_a_line(snapshot: Snapshot) -> str:
    """'1,200 of 4,000 · 412/s · ETA ~7s · 34 failed (timeout 4)'."""
    return " · ".join(_parts(snapshot))


def _parts(snapshot: Snapshot) -> Iterator[str]:
    counts = snapshot.counts
    yield f"{counts.done:,} of {counts.total:,}{' so far' if snapshot.loading else ''}"
    if snapshot.rate_per_second:
        yield rate(snapshot.rate_per_second)
    if snapshot.eta_seconds and (eta := snapshot.estimated_completion):
        yield f"ETA {eta}"
    yield f"{counts.leased:,} running"
    if counts.scheduled:
        yield f"{counts.scheduled:,} waiting for a later time"
    if counts.failed:
        yield f"{counts.failed:,} failed"
    if snapshot.errors:
        yield "errors: " + ", ".join(_errors(snapshot))
    if snapshot.paused:
        yield "paused"


def drawn(snapshot: Snapshot) -> "RenderableType":
    """The picture of a moment."""
    from rich.console import Group  # noqa: PLC0415 - only where it is drawn
    from rich.progress_bar import ProgressBar  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    counts = snapshot.counts
    head = Table.grid(padding=(0, 2, 0, 0), expand=True)
    head.add_column(no_wrap=True)
    head.add_column(ratio=1)
    head.add_column(no_wrap=True)
    head.add_row(
        Text(f"{counts.done:,} of {counts.total:,}", style="bold"),
        ProgressBar(total=max(counts.total, 1), completed=counts.done, pulse=snapshot.loading),
        Text(_pace(snapshot)),
    )
    rows: list[RenderableType] = [head, _states(counts)]
    if snapshot.errors:
        rows.append(Text(visible_line("errors  " + " · ".join(_errors(snapshot))), style="red"))
    rows.extend(_worker(worker) for worker in snapshot.workers[:MAX_WORKERS_SHOWN])
    if (more := len(snapshot.workers) - MAX_WORKERS_SHOWN) > 0:
        rows.append(Text(f"and {more:,} more workers", style="dim"))
    return Group(*rows)


def _pace(snapshot: Snapshot) -> str:
    parts = []
    if snapshot.rate_per_second and not snapshot.is_over:
        parts.append(rate(snapshot.rate_per_second))
    if snapshot.paused:
        parts.append("paused")
    elif snapshot.loading:
        parts.append("loading")
    elif snapshot.eta_seconds and (eta := snapshot.estimated_completion):
        parts.append(f"ETA {eta}")
    return "  ".join(parts)


def _states(counts: Counts) -> "Text":
    from rich.text import Text  # noqa: PLC0415

    said = [
        ("ready", counts.ready, ""),
        ("running", counts.leased, "cyan"),
        ("later", counts.scheduled, "yellow"),
        ("completed", counts.completed, "green"),
        ("failed", counts.failed, "red"),
        ("cancelled", counts.cancelled, "dim"),
        ("items", counts.items, ""),
        ("files", counts.files, ""),
    ]
    always = {"running", "completed", "failed", "items"}
    shown = [(name, number, style) for name, number, style in said if number or name in always]
    return Text(" · ").join(
        Text(f"{name} {number:,}", style=style if number else "dim")
        for name, number, style in shown
    )


def _errors(snapshot: Snapshot) -> list[str]:
    return [f"{name} {number:,}" for name, number in snapshot.errors.items()][:MAX_ERRORS_SHOWN]


def _worker(worker: WorkerLine) -> "Text":
    from rich.text import Text  # noqa: PLC0415

    parts = [
        f"{worker.name}",
        "paused" if worker.paused else f"{worker.leases:,} running",
        f"{worker.completed:,} completed",
    ]
    if worker.failed:
        parts.append(f"{worker.failed:,} failed")
    if worker.average_seconds is not None:
        parts.append(f"{duration(worker.average_seconds)} each")
    if worker.current:
        parts.append(_target_of(worker.current[0]))
    line = visible_line(" · ".join(parts))
    return Text(line, style="dim", no_wrap=True, overflow="ellipsis")


def _target_of(current: Any) -> str:
    """What a worker says it is doing; its row may come from any release."""
    return str(masked_data(current.get("target", "") if isinstance(current, dict) else current))
