"""What a worker is given when it is made, how it treats sites, and the row it registers."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from swather.access_token import Tokens
from swather.errors import NotFound
from swather.model.assignment import Balanced, Plan
from swather.model.lane import BreakerPolicy
from swather.model.lease import Strategy
from swather.model.pacing import AutoPace, CoolDownCurve
from swather.model.task import MAX_NAME_BYTES
from swather.model.worker import Leaving, NewWorker
from swather.net.egress_policy import BrowserPolicy, PoolPolicy, TorPolicy
from swather.net.fetcher import USER_AGENT, Fetcher
from swather.net.robots import MAX_CRAWL_DELAY_SECONDS, TTL_SECONDS
from swather.scraping.code_version import code_version
from swather.scraping.file_folders import FileFolders
from swather.scraping.scraper import Scraper
from swather.store.ports import Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Politeness:
    """How a worker treats sites.

    user_agent               by which robots.txt knows us
    robots_ttl_seconds       how long a robots.txt is remembered
    max_crawl_delay_seconds  the longest Crawl-delay that is obeyed
    curve                    how long a lane cools after 429 and 503 without a Retry-After
    auto                     what rate='auto' aims at
    breaker                  when a scraper is held back on a lane where nearly all fails
    """

    user_agent: str = USER_AGENT
    robots_ttl_seconds: float = TTL_SECONDS
    max_crawl_delay_seconds: float = MAX_CRAWL_DELAY_SECONDS
    curve: CoolDownCurve = field(default_factory=CoolDownCurve)
    auto: AutoPace = field(default_factory=AutoPace)
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)


POLITE: Final = Politeness()


@dataclass(frozen=True, kw_only=True)
class MetricsAddress:
    """Where a worker serves its own metrics, and to whom."""

    host: str
    port: int
    tokens: Tokens


@dataclass(frozen=True, kw_only=True)
class TracingPolicy:
    """Where traces go, and of which share of the tasks there are any."""

    endpoint: str
    share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """See swather.worker.Worker."""

    scrapers: dict[str, Scraper]
    run: str | None
    concurrency: int
    strategy: Strategy | None
    partitions: tuple[str, ...] | None
    planning: Plan | Balanced | None
    only_own: bool
    grace_seconds: float
    forever: bool
    folder: Path
    folders: FileFolders
    batch_size: int | None
    poll_seconds: float
    beat_seconds: float | None
    watchdog_seconds: float
    replay: bool
    log_lines: int
    log_targets: bool
    delays: Callable[[Store], Mapping[str, tuple[float, float]]]
    new_fetcher: Callable[[], Fetcher]
    politeness: Politeness
    pool: PoolPolicy
    tor: TorPolicy
    browser: BrowserPolicy
    metrics: MetricsAddress | None
    tracing: TracingPolicy | None
    new_worker: NewWorker


def version_of(scrapers: Iterable[Scraper]) -> str:
    """'books 2.1, shops 3f2a90c1': the version each scraper states, else a hash of its file."""
    told = ", ".join(
        f"{scraper.name} {scraper.options.version or code_version(scraper)[:8]}"
        for scraper in scrapers
    )
    return told if len(told.encode()) <= MAX_NAME_BYTES else told[: MAX_NAME_BYTES // 4] + "…"


class Registration:
    """A worker that was declared lost registers again, and has another id from then on."""

    def __init__(self, store: Store, new_worker: NewWorker) -> None:
        self._new_worker = new_worker
        self.worker_id = store.workers.register(new_worker)
        self.lease_seconds = new_worker.lease_seconds

    def renew(self, store: Store) -> Leaving | None:
        """How it was asked to end, if it was; a pause holds for its new id, too."""
        lost = self.worker_id
        paused, leaving = _wanted_of(store, lost)
        self.worker_id = store.workers.register(self._new_worker)
        if leaving is not None:
            store.workers.leave(self.worker_id, leaving)
        elif paused:
            store.workers.pause(self.worker_id)
        _log.warning(
            "worker %d was declared lost because its beats were late; it continues as worker %d",
            lost,
            self.worker_id,
        )
        return leaving


def _wanted_of(store: Store, worker_id: int) -> tuple[bool, Leaving | None]:
    """Whether it is paused, and whether it is to leave."""
    try:
        row = store.workers.get(worker_id)
    except NotFound:  # its row was removed since
        return False, None
    return row.paused, row.leaving
