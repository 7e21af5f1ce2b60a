"""What live workers say of themselves in their rows, as far as it concerns one run."""

import math
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from swather.masking import masked_data
from swather.model.run import Run
from swather.model.standstill import standstill_seconds
from swather.model.worker import Worker, WorkerKind, mode_of

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

    leaving          how it is to end: 'drain', 'stop', or '' if nobody wants that
    running          targets of the run that it executes
    prefetched       tasks of any run that it holds beside those that it executes
    slots, busy      how many targets it can execute at once, and how many it does
    rate_per_second  how many targets of the run it ends lately, or of all runs that move on it;
                     None while that is unknown
    quiet_seconds    since a target of the run has ended on it
    silent_seconds   since it was heard of
    trouble          what it waits for; `lacks_proxies`: for a proxy, and nothing else
    """

    id: int
    name: str
    paused: bool
    leaving: str = ""
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
    def mode(self) -> str:
        return mode_of(self.leaving, paused=self.paused)

    @property
    def is_silent(self) -> bool:
        return bool(self.running) and self.silent_seconds > SILENT_SECONDS

    @property
    def is_still(self) -> bool:
        """Whether nothing has ended on it for longer than chance explains."""
        return _Recent(self.rate_per_second, self.quiet_seconds).is_still(self.average_seconds)


def lines_of(workers: Iterable[Worker], run: Run) -> list[WorkerLine]:
    """Those that work on the run, or on any."""
    return [
        line_of(worker, run.name)
        for worker in sorted(workers, key=lambda worker: worker.id)
        if worker.kind is WorkerKind.WORKER and worker.statistics.get("run") in {None, run.name}
    ]


def line_of(worker: Worker, run: str | None) -> WorkerLine:
    """As far as it concerns one run, or all that it works on. Rows come from workers of any
    release, and from loops of people's own, which say nothing.
    """
    said = worker.statistics
    slots = _whole(said.get("slots"))
    busy = _whole(said.get("busy", worker.leases))
    average = _number(said.get("average_seconds"))
    recent = _recent(worker, run)
    told = [each for each in recent if each.rate is not None]
    # A run that has stopped keeps the rate that it had, which is not what the worker does now.
    counted = told if run is not None else [each for each in told if not each.is_still(average)]
    return WorkerLine(
        id=worker.id,
        name=worker.name,
        paused=worker.paused,
        leaving=str(worker.leaving or ""),
        running=_running(worker, run),
        prefetched=max(worker.leases - busy, 0),
        slots=slots,
        busy=min(busy, slots) if slots else busy,
        completed=_whole(said.get("completed")),
        failed=_whole(said.get("failed")),
        retried=_whole(said.get("retried")),
        average_seconds=average,
        rate_per_second=sum(each.rate or 0.0 for each in counted) if told else None,
        quiet_seconds=min(
            (each.quiet_seconds for each in recent if each.quiet_seconds is not None), default=None
        ),
        uptime_seconds=(worker.beat_at - worker.registered_at).total_seconds(),
        silent_seconds=worker.silent_seconds,
        trouble=str(said.get("trouble") or ""),
        lacks_proxies=said.get("lacks_proxies") is True,
        current=_current(worker, run),
    )


def _running(worker: Worker, run: str | None) -> int:
    if "busy" not in worker.statistics:
        return worker.leases
    running = worker.statistics.get("running")
    of_runs = running if isinstance(running, dict) else {}
    return sum(_whole(number) for name, number in of_runs.items() if run in {None, name})


def _current(worker: Worker, run: str | None) -> list[RunningTarget]:
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
        if run is None or each.get("run") == run
    ]
    return sorted(found, key=lambda each: -each.seconds)


def _recent(worker: Worker, run: str | None) -> list["_Recent"]:
    said = worker.statistics.get("recent")
    found = []
    for name, member in said.items() if isinstance(said, dict) else ():
        if not isinstance(member, dict) or run not in {None, name}:
            continue
        ended, seconds = _number(member.get("ended")), _number(member.get("seconds"))
        quiet = _number(member.get("quiet_seconds"))
        found.append(
            _Recent(
                rate=ended / seconds if ended is not None and seconds else None,
                quiet_seconds=None if quiet is None else quiet + worker.silent_seconds,
            )
        )
    return found


class _Recent(NamedTuple):
    """What a worker says of how a run has gone lately."""

    rate: float | None
    quiet_seconds: float | None

    def is_still(self, average_seconds: float | None) -> bool:
        """Whether nothing has ended for longer than chance explains."""
        patience = standstill_seconds(average_seconds or 0.0, self.rate or 0.0)
        return (self.quiet_seconds or 0.0) >= patience


def _number(value: Any) -> float | None:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_one and math.isfinite(value) else None


def _whole(value: Any) -> int:
    return max(int(_number(value) or 0), 0)
