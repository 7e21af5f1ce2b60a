"""What a server tells Prometheus of its database: read anew for each scrape.

Everything comes from counter rows, worker rows, lanes, proxies and schedules, so a scrape costs the
same for ten tasks and ten million. Labels are bounded, for as long as the server runs: it never has
more than a few thousand series.
"""

from threading import Lock
from time import perf_counter
from typing import Final

from swather.api import metrics_gauges
from swather.api.metrics_families import FAMILIES, LATENCIES, OF_RUNS
from swather.api.metrics_gauges import Seen
from swather.api.metrics_proxies import ProxyCounts
from swather.api.metrics_rising import Labels, Rising, RisingWorkers
from swather.model.retry import ErrorClass
from swather.model.totals import ScraperTotals
from swather.store import Store
from swather.version import __version__
from swather.worker.exposition import Page
from swather.worker.waits import OTHER, by_wait

MAX_SCRAPERS: Final = 100
MAX_REASONS: Final = 50
CLASSES: Final = frozenset(map(str, ErrorClass))
ENDS: Final = ("completed", "failed", "cancelled")

# A counter and the values of its labels.
Key = tuple[str, ...]


class Metrics:
    """Holds what rises since the server started. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._scrapers = Labels(MAX_SCRAPERS)
        self._reasons = Labels(MAX_REASONS)
        self._rising = Rising[Key]()
        self._workers = RisingWorkers()
        self._proxies = ProxyCounts()

    def begin(self, store: Store) -> None:
        """Count from now on."""
        with self._lock:
            self._count(metrics_gauges.seen(store, self._proxies))

    def exposition(self, store: Store) -> bytes:
        """All metrics, now; the store's errors are the caller's."""
        with self._lock:
            began = perf_counter()
            seen = metrics_gauges.seen(store, self._proxies, self._workers.live)
            page = self._page(store.url, is_up=True)
            page.put("swather_read_seconds", perf_counter() - began)
            self._count(seen)
            metrics_gauges.put_all(page, seen, self._scrapers)
            self._put_counters(page)
        return page.text()

    def without(self, url: str) -> bytes:
        """What there is to say of a database that does not answer: that, and the counters as they
        stood.
        """
        with self._lock:
            page = self._page(url, is_up=False)
            self._put_counters(page)
        return page.text()

    def _page(self, url: str, *, is_up: bool) -> Page:
        page = Page(FAMILIES)
        page.put("swather_up", int(is_up))
        page.put("swather_build_info", 1, __version__, url.partition(":")[0])
        return page

    def _count(self, seen: Seen) -> None:
        numbers: dict[Key, float] = {}
        for totals in seen.totals:
            for key, number in self._numbers_of(totals).items():
                numbers[key] = numbers.get(key, 0) + number
        self._rising.look(numbers)
        self._workers.look(seen.all_workers)

    def _numbers_of(self, totals: ScraperTotals) -> dict[Key, float]:
        scraper, counts = self._scrapers.of(totals.scraper), totals.counts
        numbers: dict[Key, float] = {
            (name, scraper): getattr(counts, field) for name, field in OF_RUNS.items()
        }
        for state in ENDS:
            numbers["swather_tasks_ended_total", scraper, state] = getattr(counts, state)
        for error_class, n in totals.errors.items():
            known = error_class if error_class in CLASSES else OTHER
            numbers["swather_attempt_errors_total", scraper, known] = n
        for reason, n in counts.reasons.items():
            key = "swather_task_reasons_total", scraper, self._reasons.of(reason)
            numbers[key] = numbers.get(key, 0) + n
        return numbers

    def _put_counters(self, page: Page) -> None:
        for (name, *labels), number in self._rising.sums.items():
            page.put(name, number, *labels)
        page.put("swather_requests_total", self._workers.requests)
        page.put("swather_lost_workers_total", self._workers.lost)
        for what, seconds in by_wait(self._workers.waited).items():
            page.put("swather_waited_seconds_total", seconds, what)
        for name, what in LATENCIES.items():
            page.put_latency(name, self._workers.latencies[what])
