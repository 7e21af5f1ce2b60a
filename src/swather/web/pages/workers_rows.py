"""Workers as the dashboard shows them: what each says of itself, a line for each."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from swather.model.run import Run
from swather.model.worker import Worker, WorkerKind, WorkerState
from swather.runs.words import duration
from swather.runs.worker_line import SILENT_SECONDS, RunningTarget, WorkerLine, line_of

# Squares that are drawn for the slots of one worker.
MAX_SQUARES: Final = 120
# Workers that were lost are shown for so long.
LOST_SECONDS: Final = 3_600.0


class Slot(msgspec.Struct, frozen=True):
    """What one slot does: 'executing', 'waiting' or 'idle', and on what."""

    does: str
    title: str


class WorkerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A worker. `mismatches`: what is said of each run that was started with other code."""

    id: int
    name: str
    kind: WorkerKind
    state: str
    paused: bool
    leaving: str
    is_live: bool
    heard_at: datetime
    runs: list[str]
    slots: list[Slot]
    more_slots: int
    said_of_slots: str
    current: list[RunningTarget]
    running: int
    line: WorkerLine
    memory_bytes: int | None
    host: str
    pid: int
    version: str
    mismatches: list[str]
    trouble: str

    @property
    def more_current(self) -> int:
        """Of those that are executed, a worker names the oldest."""
        return max(self.running - len(self.current), 0)


def rows_of(workers: Iterable[Worker], runs: Sequence[Run]) -> list[WorkerRow]:
    """Those that live, and those that were lost lately; what needs a look comes first."""
    by_name = {run.name: run for run in runs}
    shown = [
        worker
        for worker in workers
        if worker.state is WorkerState.LIVE
        or (worker.state is WorkerState.LOST and worker.silent_seconds < LOST_SECONDS)
    ]
    rows = [row_of(worker, by_name) for worker in shown]
    return sorted(rows, key=lambda row: (_ORDER.index(row.state), row.name))


_ORDER: Final = ("silent", "stopping", "draining", "paused", "working", "loading", "idle", "lost")


def row_of(worker: Worker, runs: Mapping[str, Run]) -> WorkerRow:
    line = line_of(worker, None)
    said = worker.statistics
    served = _runs(worker)
    slots, more = _slots(line, said)
    return WorkerRow(
        id=worker.id,
        name=worker.name,
        kind=worker.kind,
        state=_state(worker, line),
        paused=worker.paused,
        leaving=str(worker.leaving or ""),
        is_live=worker.state is WorkerState.LIVE,
        heard_at=worker.beat_at,
        runs=served,
        slots=slots,
        more_slots=more,
        said_of_slots=_of_slots(line, said),
        current=line.current,
        running=line.busy,
        line=line,
        memory_bytes=memory_of(worker),
        host=worker.process.host,
        pid=worker.process.pid,
        version=worker.version,
        mismatches=[
            words
            for name in served
            if name in runs and (words := mismatch(worker.version, runs[name]))
        ],
        trouble=line.trouble,
    )


def memory_of(worker: Worker) -> int | None:
    """None of a worker that does not say; a database may hold anything."""
    found = worker.statistics.get("memory_bytes")
    return found if type(found) is int and found > 0 else None


def mismatch(version: str, run: Run) -> str:
    """What is said if a worker has other code than a run was started with; '' if not."""
    wanted = run.version or run.scraper_code[:8]
    for each in version.split(", "):
        scraper, _, own = each.rpartition(" ")
        if scraper == run.scraper and wanted and own != wanted:
            return f"run {run.name} was started with version {wanted} of {scraper}, this is {own}"
    return ""


def _state(worker: Worker, line: WorkerLine) -> str:
    if worker.state is not WorkerState.LIVE:
        return "lost"
    patience = SILENT_SECONDS if line.busy else worker.lease_seconds / 2
    if worker.silent_seconds > max(patience, SILENT_SECONDS):
        return "silent"
    if worker.mode != "working":
        return worker.mode
    if worker.kind is WorkerKind.PRODUCER:
        return "loading"
    return "working" if line.busy else "idle"


def _runs(worker: Worker) -> list[str]:
    """Those that it works on, or is there for."""
    said = worker.statistics
    running = said.get("running")
    names = [name for name in (worker.run, said.get("run")) if isinstance(name, str) and name]
    names += sorted(running) if isinstance(running, dict) else []
    return list(dict.fromkeys(names))


def _slots(line: WorkerLine, said: Mapping[str, Any]) -> tuple[list[Slot], int]:
    """A square for each slot, and how many there are beyond those that are drawn."""
    found = [_named(target) for target in line.current[: line.busy]]
    more_waiting = max(_waiting(line, said) - sum(slot.does == "waiting" for slot in found), 0)
    unnamed = max(line.busy - len(found), 0)
    more_waiting = min(more_waiting, unnamed)
    found += [Slot("executing", "executing")] * (unnamed - more_waiting)
    found += [Slot("waiting", "waiting")] * more_waiting
    found += [Slot("idle", "idle")] * max(line.slots - len(found), 0)
    return found[:MAX_SQUARES], max(len(found) - MAX_SQUARES, 0)


def _named(target: RunningTarget) -> Slot:
    what = f"{target.target}, for {duration(target.seconds)}"
    if target.waits_for:
        return Slot("waiting", f"{what}, waits for {target.waits_for}")
    return Slot("executing", what)


def _of_slots(line: WorkerLine, said: Mapping[str, Any]) -> str:
    """'7 of 10 busy, 2 of them wait'."""
    if not line.slots:
        return f"{line.busy} busy" if line.busy else "says nothing of its slots"
    waiting = _waiting(line, said)
    waits = f", {waiting} of them waiting" if waiting else ""
    return f"{line.busy} of {line.slots} busy{waits}"


def _waiting(line: WorkerLine, said: Mapping[str, Any]) -> int:
    counted = said.get("waiting")
    numbers = counted.values() if isinstance(counted, dict) else ()
    total = sum(number for number in numbers if type(number) is int and number > 0)
    return min(total, line.busy)
