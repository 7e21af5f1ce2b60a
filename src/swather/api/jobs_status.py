"""How all work of a database goes, in the words that clients of a job queue know.

Everything is computed from rows that outlive every process, in one read.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from swather.model.run import Counts
from swather.model.supervisor import MAX_WORKERS, SupervisorRow
from swather.model.totals import RunTotals
from swather.model.worker import Worker, WorkerKind
from swather.runs.words import estimate
from swather.runs.worker_line import WorkerLine, line_of
from swather.store import Store

MAX_RUNS: Final = 100
# A client is shown so many workers; all are counted.
MAX_WORKERS_SHOWN: Final = 200
_SECONDS_PER_HOUR: Final = 3_600
# What this queue does, whatever its state.
FEATURES: Final = {
    "parallel_processing": True,
    "atomic_job_claiming": True,
    "exponential_backoff": True,
    "graceful_shutdown": True,
    "real_time_monitoring": True,
}


class Jobs(msgspec.Struct, frozen=True, kw_only=True):
    """What one read of the database found. `counts` are those of all runs together; `runs` are
    the newest open ones.
    """

    at: datetime
    fleets: list[SupervisorRow]
    workers: list[Worker]
    counts: Counts
    active_runs: int
    runs: list[RunTotals]

    @property
    def wanted(self) -> int:
        """How many workers the fleets that are up, and not about to stop, are to have."""
        return sum(fleet.wanted for fleet in self.fleets if not fleet.stops)

    @property
    def active(self) -> list[Worker]:
        """Those that are heard of."""
        return [worker for worker in self.workers if worker.silent_seconds < worker.lease_seconds]

    @property
    def rates(self) -> dict[str, float]:
        """How many targets of each run end per second lately, by what its workers say."""
        found: dict[str, float] = {}
        for worker in self.active:
            recent = worker.statistics.get("recent")
            for run in recent if isinstance(recent, dict) else ():
                line = line_of(worker, run)
                rate = 0.0 if line.is_still else line.rate_per_second or 0.0
                found[run] = found.get(run, 0.0) + rate
        return found


def read_jobs(store: Store) -> Jobs:
    totals = store.runs.totals()
    return Jobs(
        at=datetime.now(UTC),
        fleets=store.supervisors.find(),
        workers=[
            worker
            for worker in store.workers.find(limit=MAX_WORKERS)
            if worker.kind is WorkerKind.WORKER
        ],
        counts=_summed(each.counts for each in totals),
        active_runs=sum(each.open_runs for each in totals),
        runs=store.runs.open_totals(limit=MAX_RUNS),
    )


def status_of(jobs: Jobs) -> dict[str, Any]:
    """The answer of GET /jobs/workers/status."""
    active = len(jobs.active)
    return {
        "worker_status": {
            "running": active > 0 or jobs.wanted > 0,
            "num_workers": jobs.wanted,
            "active_workers": active,
            "total_processed": jobs.counts.completed,
            "total_failed": jobs.counts.failed,
            # Whether anything that a dead process held still waits to be given back.
            "startup_recovery_done": active == len(jobs.workers),
        },
        "performance_metrics": metrics_of(jobs),
        "features": FEATURES,
    }


def metrics_of(jobs: Jobs) -> dict[str, Any]:
    """`success_rate` is None before anything has ended, the estimate while nothing moves."""
    counts, rates = jobs.counts, jobs.rates
    ended = counts.completed + counts.failed
    return {
        "processing_rate_per_hour": round(sum(rates.values()) * _SECONDS_PER_HOUR, 1),
        "success_rate": round(counts.completed / ended, 3) if ended else None,
        "estimated_completion_time": estimate(_left_seconds(jobs.runs, rates)),
    }


def queue_of(counts: Counts) -> dict[str, int]:
    """Waiting for a retry counts as pending."""
    return {
        "pending": counts.waiting,
        "processing": counts.leased,
        "completed": counts.completed,
        "failed": counts.failed,
        "cancelled": counts.cancelled,
        "remaining": counts.unfinished,
        "total": counts.total,
    }


def queue_stats_of(jobs: Jobs) -> dict[str, Any]:
    """The answer of GET /jobs/queue/stats."""
    return {**queue_of(jobs.counts), "active_runs": jobs.active_runs}


def performance_of(jobs: Jobs) -> dict[str, Any]:
    """The answer of GET /jobs/workers/performance."""
    lines = [line_of(worker, "") for worker in jobs.active]
    return {
        "performance_metrics": {**metrics_of(jobs), "average_runtime_seconds": _average(lines)},
        "queue": queue_of(jobs.counts),
        "workers": [_performance(line) for line in lines[:MAX_WORKERS_SHOWN]],
    }


def live_of(jobs: Jobs) -> dict[str, Any]:
    """A message of the WebSocket /jobs/status."""
    return {
        "at": jobs.at,
        **status_of(jobs),
        "workers": [_now(worker) for worker in jobs.active[:MAX_WORKERS_SHOWN]],
        "active_runs": jobs.active_runs,
        "runs": [
            {"run": each.run, "scraper": each.scraper, **queue_of(each.counts)}
            for each in jobs.runs
        ],
    }


def _now(worker: Worker) -> dict[str, Any]:
    """What it does, and since when; `target` is what it has been doing for longest."""
    line = line_of(worker, "")
    running = worker.statistics.get("running")
    names = running if isinstance(running, dict) else {}
    current = [each for name in names for each in line_of(worker, name).current]
    current.sort(key=lambda each: -each.seconds)
    first = current[0] if current else None
    now = worker.beat_at + timedelta(seconds=worker.silent_seconds)
    return {
        "name": worker.name,
        "target": None if first is None else first.target,
        "since": None if first is None else now - timedelta(seconds=first.seconds),
        "running": line.busy,
    }


def _performance(line: WorkerLine) -> dict[str, Any]:
    ended = line.completed + line.failed
    return {
        "name": line.name,
        "total_processed": line.completed,
        "total_failed": line.failed,
        "total_retried": line.retried,
        "success_rate": round(line.completed / ended, 3) if ended else None,
        "average_runtime_seconds": _rounded(line.average_seconds),
        "uptime_seconds": round(line.uptime_seconds, 1),
        "running": line.busy,
    }


def _left_seconds(runs: list[RunTotals], rates: dict[str, float]) -> float | None:
    """Until the last of the runs that move is done; None if none of them moves."""
    if not any(each.counts.unfinished for each in runs):
        return 0.0
    moving = [each for each in runs if rates.get(each.run, 0.0) > 0]
    return max((each.counts.unfinished / rates[each.run] for each in moving), default=None)


def _average(lines: list[WorkerLine]) -> float | None:
    """Over all attempts of these workers."""
    known = [
        (line.average_seconds, line.completed + line.failed + line.retried)
        for line in lines
        if line.average_seconds is not None
    ]
    attempts = sum(number for _, number in known)
    if not attempts:
        return None
    return _rounded(sum(seconds * number for seconds, number in known) / attempts)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _summed(each: Iterable[Counts]) -> Counts:
    names = ("scheduled", "ready", "leased", "completed", "failed", "cancelled")
    found = list(each)
    return Counts(**{name: sum(getattr(one, name) for one in found) for name in names})
