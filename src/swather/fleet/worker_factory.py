"""Makes workers from the settings, for all that start them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from swather.model.lane import BreakerPolicy
from swather.model.lease import Strategy
from swather.model.pacing import AutoPace, CoolDownCurve
from swather.net.fetcher import USER_AGENT
from swather.runs.fetching import new_fetcher
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.worker import Worker
from swather.worker.settings import Politeness


def new_worker(
    settings: Settings, scrapers: Mapping[str, Scraper], kind: type[Worker] = Worker, **given: Any
) -> Worker:
    """A worker; `given` is what the settings do not say."""
    return kind(
        scrapers=scrapers,
        concurrency=settings.concurrency,
        batch_size=settings.batch_size,
        strategy=None if settings.strategy is None else Strategy(settings.strategy),
        lease_seconds=settings.lease_seconds,
        grace_seconds=settings.grace_seconds,
        poll_seconds=settings.poll_seconds,
        files_folder=settings.files_folder,
        new_fetcher=partial(new_fetcher, settings),
        politeness=politeness(settings),
        log_lines=settings.log_lines,
        **given,
    )


def politeness(settings: Settings) -> Politeness:
    """How workers treat sites, from the settings."""
    return Politeness(
        user_agent=settings.user_agent or USER_AGENT,
        robots_ttl_seconds=settings.robots_ttl_seconds,
        max_crawl_delay_seconds=settings.max_crawl_delay_seconds,
        curve=CoolDownCurve(
            base_seconds=settings.block_base_seconds,
            cap_seconds=settings.block_cap_seconds,
            forgive_seconds=settings.block_forgive_seconds,
            jitter=settings.block_jitter,
        ),
        auto=AutoPace(concurrency=settings.auto_concurrency, max_seconds=settings.auto_max_seconds),
        breaker=BreakerPolicy(
            window=settings.breaker_window,
            share=settings.breaker_share,
            probe_seconds=settings.breaker_probe_seconds,
            probe_cap_seconds=settings.breaker_probe_cap_seconds,
        ),
    )
