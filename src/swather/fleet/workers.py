"""Workers as the settings want them, whoever starts them and wherever."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from swather.model.autopace import AutoPace
from swather.model.blocks import Curve
from swather.model.strategy import Strategy
from swather.net.fetcher import USER_AGENT
from swather.runs.fetching import new_fetcher
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.worker import Worker
from swather.worker.access.breaker import BreakerPolicy
from swather.worker.access.politeness import Politeness


def new_worker(
    held: Settings, scrapers: Mapping[str, Scraper], kind: type[Worker] = Worker, **given: Any
) -> Worker:
    """A worker; what it is `given` is not a matter of settings."""
    return kind(
        scrapers=scrapers,
        concurrency=held.concurrency,
        batch_size=held.batch_size,
        strategy=None if held.strategy is None else Strategy(held.strategy),
        lease_seconds=held.lease_seconds,
        grace_seconds=held.grace_seconds,
        poll_seconds=held.poll_seconds,
        files_folder=held.files_folder,
        new_fetcher=partial(new_fetcher, held),
        politeness=politeness(held),
        **given,
    )


def politeness(held: Settings) -> Politeness:
    """How workers treat sites, as the settings want it."""
    return Politeness(
        user_agent=held.user_agent or USER_AGENT,
        robots_ttl_seconds=held.robots_ttl_seconds,
        max_crawl_delay_seconds=held.max_crawl_delay_seconds,
        curve=Curve(
            base_seconds=held.block_base_seconds,
            cap_seconds=held.block_cap_seconds,
            forgive_seconds=held.block_forgive_seconds,
            jitter=held.block_jitter,
        ),
        auto=AutoPace(concurrency=held.auto_concurrency, max_seconds=held.auto_max_seconds),
        breaker=BreakerPolicy(
            window=held.breaker_window,
            share=held.breaker_share,
            probe_seconds=held.breaker_probe_seconds,
            probe_cap_seconds=held.breaker_probe_cap_seconds,
        ),
    )
