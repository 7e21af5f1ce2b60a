"""Shows a fleet: a live picture on a terminal, lines elsewhere."""

from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final, Self

import msgspec

from swather.fleet.fleet_watch import FleetSnapshot
from swather.fleet.supervisor import WorkerStanding
from swather.runs.view import in_a_line
from swather.runs.words import count, duration
from swather.visible import visible_line

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from swather.runs.console import PlainConsole

SECONDS_PER_LINE: Final = 10.0
MAX_WORKERS_SHOWN: Final = 20


class FleetView:
    """Shows nothing."""

    @property
    def is_due(self) -> bool:
        """Whether it would show a snapshot now."""
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def show(self, snapshot: FleetSnapshot) -> None:
        pass


class FleetLines(FleetView):
    """What happens, and every few seconds how far the work is."""

    def __init__(self, console: "PlainConsole") -> None:
        self._console = console
        self._next_at = monotonic() + SECONDS_PER_LINE
        self._last: list[str] = []

    @property
    def is_due(self) -> bool:
        return monotonic() >= self._next_at

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)

    def show(self, snapshot: FleetSnapshot) -> None:
        self._next_at = monotonic() + SECONDS_PER_LINE
        lines = [f"{run.run}: {in_a_line(run)}" for run in snapshot.runs]
        if lines != self._last:
            self._last = lines
            workers = f"{snapshot.running:,} of {count(len(snapshot.standing), 'worker')}"
            for line in lines:
                self.say(f"{workers} · {line}")


class FleetPicture(FleetView):
    """The runs and the workers, redrawn in place."""

    def __init__(self, console: "PlainConsole") -> None:
        from swather.runs.region import Region  # noqa: PLC0415 - only where it is drawn

        self._console = console
        self._region = Region(console)

    @property
    def is_due(self) -> bool:
        return True

    def __enter__(self) -> Self:
        self._region.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._region.stop()

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)

    def show(self, snapshot: FleetSnapshot) -> None:
        self._region.update(_Drawing(snapshot))


def fleet_view_on(console: "PlainConsole") -> FleetView:
    return FleetPicture(console) if console.is_terminal else FleetLines(console)


class _Drawing:
    def __init__(self, snapshot: FleetSnapshot) -> None:
        self._snapshot = snapshot

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.text import Text  # noqa: PLC0415

        from swather.runs.drawing import Drawing  # noqa: PLC0415

        snapshot = self._snapshot
        for run in snapshot.runs:
            yield Text(visible_line(run.run), style="bold", no_wrap=True, overflow="ellipsis")
            yield Drawing(msgspec.structs.replace(run, workers=[]))
        if snapshot.more_runs:
            yield Text(f"and {count(snapshot.more_runs, 'more run')}", style="dim")
        if not snapshot.runs:
            yield Text("no run is open; waiting for work", style="dim")
        for line, style in worker_lines(snapshot):
            yield Text(visible_line(line), style=style, no_wrap=True, overflow="ellipsis")


def worker_lines(snapshot: FleetSnapshot) -> Iterator[tuple[str, str]]:
    """A line per worker, and how it is drawn."""
    yield (
        f"Fleet {snapshot.name}: {snapshot.running:,} of {count(len(snapshot.standing), 'worker')}",
        "bold",
    )
    for worker in snapshot.standing[:MAX_WORKERS_SHOWN]:
        yield f"{worker.number:>4}  {_about(worker, snapshot)}", _STYLES.get(worker.state, "")
    if (more := len(snapshot.standing) - MAX_WORKERS_SHOWN) > 0:
        yield f"and {count(more, 'more worker')}", "dim"


_STYLES: Final = {"waiting": "dim", "stopping": "yellow", "crashed too often": "red"}


def _about(worker: WorkerStanding, snapshot: FleetSnapshot) -> str:
    parts = [str(worker.state)]
    if worker.due_seconds:
        parts.append(f"starts in {duration(worker.due_seconds)}")
    if worker.where:
        parts.append(f"{worker.where} for {duration(worker.since_seconds)}")
    line = snapshot.workers.get(worker.number)
    if line is not None and worker.where:
        parts += [f"{line.busy} of {line.slots} busy", f"{line.completed:,} completed"]
        if line.failed:
            parts.append(f"{line.failed:,} failed")
    if worker.crashes:
        parts.append(count(worker.crashes, "crash", "crashes"))
    with suppress(KeyError):
        if worker.where and (target := snapshot.targets[worker.number]):
            parts.append(target)
    if worker.why and not worker.where:
        parts.append(worker.why)
    return " · ".join(parts)
