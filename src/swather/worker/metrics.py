"""What one worker tells Prometheus of itself, from its own memory: no database is asked."""

import os
from typing import Final

from swather import posix
from swather.version import __version__
from swather.worker.beat import Beat
from swather.worker.exchange import Leases
from swather.worker.exposition import Family, Kind, Page
from swather.worker.report import Statistics, Tally
from swather.worker.slots import Slots
from swather.worker.waits import by_wait

_COUNTER, _GAUGE, _HISTOGRAM = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM

# Other names than those of a server, which sums the same numbers over all workers.
FAMILIES: Final[dict[str, Family]] = {
    "swather_worker_info": Family(_GAUGE, "1, with the version and the number of the worker",
                                  ("version", "number")),
    "swather_worker_healthy": Family(_GAUGE, "1 if the worker has reached the database of late"),
    "swather_worker_in_trouble": Family(
        _GAUGE, "1 if the worker can save nothing, or has no proxy to leave by"
    ),
    "swather_worker_outcomes_total": Family(_COUNTER, "What attempts came to", ("outcome",)),
    "swather_worker_requests_total": Family(_COUNTER, "Requests of the worker"),
    "swather_worker_attempt_seconds": Family(_HISTOGRAM, "How long its attempts took"),
    "swather_worker_claim_seconds": Family(_HISTOGRAM, "How long its claims of tasks took"),
    "swather_worker_finish_seconds": Family(_HISTOGRAM, "How long its commits of results took"),
    "swather_worker_slots": Family(_GAUGE, "Slots of the worker", ("state",)),
    "swather_worker_leases": Family(_GAUGE, "Tasks that the worker holds"),
    "swather_worker_waiting_attempts": Family(_GAUGE, "Running attempts that wait",
                                              ("waits_for",)),
    "swather_worker_waited_seconds_total": Family(_COUNTER, "For how long attempts have waited",
                                                  ("waits_for",)),
    "swather_worker_abandoned_attempts": Family(
        _GAUGE, "Attempts that would not end when they were stopped"
    ),
    "swather_worker_memory_bytes": Family(_GAUGE, "Memory of the worker's process"),
}  # fmt: skip
OUTCOMES: Final = ("completed", "failed", "retried", "released", "lost")


class WorkerMetrics:
    """Any thread may ask."""

    def __init__(
        self,
        tally: Tally,
        slots: Slots,
        leases: Leases,
        beat: Beat,
        statistics: Statistics,
        number: int | None,
    ) -> None:
        self._tally = tally
        self._slots = slots
        self._leases = leases
        self._beat = beat
        self._statistics = statistics
        self._number = "" if number is None else str(number)

    def exposition(self) -> bytes:
        """All metrics, now."""
        page, tally, slots = Page(FAMILIES), self._tally, self._slots
        running = list(slots.running.values())
        page.put("swather_worker_info", 1, __version__, self._number)
        page.put("swather_worker_healthy", int(self._beat.is_healthy))
        page.put("swather_worker_in_trouble", int(bool(self._statistics.trouble)))
        for outcome in OUTCOMES:
            page.put("swather_worker_outcomes_total", getattr(tally, outcome), outcome)
        page.put("swather_worker_requests_total", tally.requests)
        page.put_latency("swather_worker_attempt_seconds", tally.took.latency)
        page.put_latency("swather_worker_claim_seconds", tally.claims.latency)
        page.put_latency("swather_worker_finish_seconds", tally.finishes.latency)
        page.put("swather_worker_slots", len(running), "busy")
        page.put("swather_worker_slots", max(slots.concurrency - len(running), 0), "free")
        page.put("swather_worker_leases", len(self._leases.snapshot()))
        waiting: dict[str, float] = {}
        for attempt in running:
            if what := attempt.waits_for:
                waiting[what] = waiting.get(what, 0) + 1
        for what, number in by_wait(waiting).items():
            page.put("swather_worker_waiting_attempts", number, what)
        for what, seconds in by_wait(tally.waited.copy()).items():
            page.put("swather_worker_waited_seconds_total", seconds, what)
        page.put("swather_worker_abandoned_attempts", slots.abandoned)
        page.put("swather_worker_memory_bytes", posix.memory_bytes(os.getpid()) or 0)
        return page.text()
