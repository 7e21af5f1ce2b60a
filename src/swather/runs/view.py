"""Shows a run's progress: a live bar on a terminal or in a notebook, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, redirect_stderr, redirect_stdout
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self, TextIO, cast

from swather.runs.progress import Snapshot
from swather.runs.words import rate

if TYPE_CHECKING:
    from swather.runs.console import PlainConsole

SECONDS_PER_LINE: Final = 5.0
# What stops a run is said again after so long.
SECONDS_PER_REMINDER: Final = 60.0
_FIRST_LINE_AFTER_SECONDS: Final = 1.0


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
    """A live picture on a terminal or in a notebook, lines elsewhere."""
    if console.is_jupyter:
        from swather.runs.notebook import NotebookView  # noqa: PLC0415 - only where it is shown

        return NotebookView()
    return Picture(console) if console.is_terminal else Lines(console)


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
    """A line every few seconds, and one at the end; at once when something begins to stop it."""

    def __init__(self, console: "PlainConsole") -> None:
        self._console = console
        self._next_at = monotonic() + _FIRST_LINE_AFTER_SECONDS
        self._remind_at = 0.0
        self._last: Snapshot | None = None
        self._stops: list[str] = []

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)

    def show(self, snapshot: Snapshot) -> None:
        now = monotonic()
        stops = [reason.code for reason in snapshot.stops]
        is_news = bool(stops) and (stops != self._stops or now >= self._remind_at)
        if now < self._next_at and not snapshot.is_over and not is_news:
            return
        self._next_at = now + SECONDS_PER_LINE
        if is_news or self._last is None or snapshot.counts != self._last.counts:
            self._last = snapshot
            self.say(in_a_line(snapshot))
        if is_news:
            self._remind_at = now + SECONDS_PER_REMINDER
            for reason in snapshot.stops:
                self.say(f"  {reason.sentence}")
        self._stops = stops


class Picture:
    """A bar, the counts, the reasons, the errors and the workers, redrawn in place."""

    def __init__(self, console: "PlainConsole") -> None:
        from swather.runs.region import Region  # noqa: PLC0415 - only where it is drawn

        self._console = console
        self._region = Region(console)
        self._redirection = ExitStack()

    def __enter__(self) -> Self:
        from swather.runs.console import LinesAbove  # noqa: PLC0415

        for redirect in (redirect_stdout, redirect_stderr):
            aside = self._redirection.enter_context(closing(LinesAbove(self._console)))
            self._redirection.enter_context(redirect(cast("TextIO", aside)))
        self._region.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._redirection.close()
        self._region.stop()

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)

    def show(self, snapshot: Snapshot) -> None:
        from swather.runs.drawing import Drawing  # noqa: PLC0415

        self._region.update(Drawing(snapshot))


def in_a_line(snapshot: Snapshot) -> str:
    """'1,200 of 4,000 · 412/s · ETA ~7s · 34 failed (timeout 4)'."""
    return " · ".join(_parts(snapshot))


def _parts(snapshot: Snapshot) -> Iterator[str]:
    counts = snapshot.counts
    yield f"{counts.done:,} of {counts.total:,}{' so far' if snapshot.loading else ''}"
    if not snapshot.is_over:
        if snapshot.rate_per_second:
            yield rate(snapshot.rate_per_second)
        if counts.unfinished and not snapshot.loading:
            yield f"ETA {snapshot.eta}"
        yield f"{snapshot.running:,} running"
    if counts.scheduled:
        yield f"{counts.scheduled:,} waiting to retry"
    if counts.failed:
        yield f"{counts.failed:,} failed"
    if counts.retries:
        yield f"{counts.retries:,} retries"
    if snapshot.errors:
        yield "errors: " + ", ".join(snapshot.errors_in_words)
    if snapshot.paused:
        yield "paused"
