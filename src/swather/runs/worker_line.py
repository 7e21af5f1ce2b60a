"""What live workers say of themselves in their rows, as far as it concerns one run."""

import math
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from swather.masking import masked_data
from swather.model.run import Run
from swather.model.standstill import standstill_seconds
from swather.model.worker import Worker, WorkerKind

# A worker that is well is heard of every two seconds while it has work.
SILENT_SECONDS: Final = 10.0


class RunningTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target that a worker executes now. `waits_for`: what its clock stands still for."""

    task: int
    target: str
    seconds: float
    worker: str
    timeout: float | None = None
    attempt: int = 1
    waits_for: str = ""


class WorkerLine(msgspec.Struct, frozen=True, kw_only=True):
    """One worker: what it has done since its start, what it does now.

    running          targets of the run that it executes
    prefetched       tasks of any run that it holds beside those that it executes
    slots, busy      how many targets it can execute at once, and how many it does
    rate_per_second  how many targets of the run it ends lately; None while that is unknown
    quiet_seconds    since a target of the run has ended on it
    silent_seconds   since it was heard of
    trouble          what it waits for; `lacks_proxies`: for a proxy, and nothing else
    """

    id: int
    name: str
    paused: bool
    running: int = 0
    prefetched: int = 0
    slots: int = 0
    busy: int = 0
    completed: int = 0
    failed: int = 0
    retried: int = 0
    average_seconds: float | None = None
    rate_per_second: float | None = None
    quiet_seconds: float | None = None
    uptime_seconds: float = 0.0
    silent_seconds: float = 0.0
    trouble: str = ""
    lacks_proxies: bool = False
    current: list[RunningTarget] = []

    @property
    def is_silent(self) -> bool:
        return bool(self.running) and self.silent_seconds > SILENT_SECONDS

    @property
    def is_still(self) -> bool:
        """Whether nothing has ended on it for longer than chance explains."""
        patience = standstill_seconds(self.average_seconds or 0.0, self.rate_per_second or 0.0)
        return (self.quiet_seconds or 0.0) >= patience


def lines_of(workers: Iterable[Worker], run: Run) -> list[WorkerLine]:
    """Those that work on the run, or on any."""
    return [
        line_of(worker, run.name)
        for worker in sorted(workers, key=lambda worker: worker.id)
        if worker.kind is WorkerKind.WORKER and worker.statistics.get("run") in {None, run.name}
    ]


def line_of(worker: Worker, run: str) -> WorkerLine:
    """Rows come from workers of any release, and from loops of people's own, which say nothing."""
    said = worker.statistics
    slots = _whole(said.get("slots"))
    busy = _whole(said.get("busy", worker.leases))
    recent = _member(said, "recent", run)
    ended, seconds = _number(recent.get("ended")), _number(recent.get("seconds"))
    quiet = _number(recent.get("quiet_seconds"))
    return WorkerLine(
        id=worker.id,
        name=worker.name,
        paused=worker.paused,
        running=_running(worker, run),
        prefetched=max(worker.leases - busy, 0),
        slots=slots,
        busy=min(busy, slots) if slots else busy,
        completed=_whole(said.get("completed")),
        failed=_whole(said.get("failed")),
        retried=_whole(said.get("retried")),
        average_seconds=_number(said.get("average_seconds")),
        rate_per_second=ended / seconds if ended is not None and seconds else None,
        quiet_seconds=None if quiet is None else quiet + worker.silent_seconds,
        uptime_seconds=(worker.beat_at - worker.registered_at).total_seconds(),
        silent_seconds=worker.silent_seconds,
        trouble=str(said.get("trouble") or ""),
        lacks_proxies=said.get("lacks_proxies") is True,
        current=_current(worker, run),
    )


def _running(worker: Worker, run: str) -> int:
    if "busy" not in worker.statistics:
        return worker.leases
    running = worker.statistics.get("running")
    return _whole(running.get(run)) if isinstance(running, dict) else 0


def _current(worker: Worker, run: str) -> list[RunningTarget]:
    """The oldest first."""
    said = worker.statistics.get("current")
    current = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
    found = [
        RunningTarget(
            task=_whole(each.get("task")),
            target=str(masked_data(each.get("target", ""))),
            seconds=(_number(each.get("seconds")) or 0.0) + worker.silent_seconds,
            worker=worker.name,
            timeout=_number(each.get("timeout")),
            attempt=_whole(each.get("attempt")) or 1,
            waits_for=str(each.get("waits_for") or ""),
        )
        for each in current
        if each.get("run") == run
    ]
    return sorted(found, key=lambda each: -each.seconds)


def _member(said: dict[str, Any], name: str, run: str) -> dict[str, Any]:
    found = said.get(name)
    member = found.get(run) if isinstance(found, dict) else None
    return member if isinstance(member, dict) else {}


def _number(value: Any) -> float | None:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_one and math.isfinite(value) else None


def _whole(value: Any) -> int:
    return max(int(_number(value) or 0), 0)
