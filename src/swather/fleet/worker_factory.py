"""Makes workers from the settings, for all that start them."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from swather.model.lane import BreakerPolicy
from swather.model.lease import Strategy
from swather.model.pacing import AutoPace, CoolDownCurve
from swather.model.proxy_choice import ProxyStrategy, Rotation
from swather.net.egress_policy import BrowserPolicy, PoolPolicy, TorPolicy
from swather.net.fetcher import USER_AGENT
from swather.runs.fetching import new_fetcher
from swather.runs.partition_plans import planning_of
from swather.runs.storage import bucket_access
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
        bucket_access=bucket_access(settings),
        new_fetcher=partial(new_fetcher, settings),
        politeness=politeness(settings),
        pool=pool_policy(settings),
        tor=tor_policy(settings),
        browser=browser_policy(settings),
        log_lines=settings.log_lines,
        planning=planning_of(settings),
        log_targets=bool(settings.log_targets),
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


def pool_policy(settings: Settings) -> PoolPolicy:
    """How workers use the proxies, from the settings."""
    return PoolPolicy(
        strategy=ProxyStrategy(settings.proxy_selection_strategy or ProxyStrategy.ROUND_ROBIN),
        rotation=Rotation(settings.proxy_rotation or Rotation.REQUEST),
        per_worker=settings.proxies_per_worker,
        tags=_listed(settings.proxy_tags),
        threshold=settings.proxy_blacklist_threshold,
        blacklist_seconds=settings.proxy_blacklist_minutes * 60,
        probe_seconds=settings.proxy_probe_seconds,
    )


def tor_policy(settings: Settings) -> TorPolicy:
    """How workers use Tor, from the settings."""
    return TorPolicy(
        binary=settings.tor_binary,
        socks=settings.tor_socks,
        config=settings.tor_config,
        bootstrap_seconds=settings.tor_bootstrap_seconds,
    )


def browser_policy(settings: Settings) -> BrowserPolicy:
    """How workers use their browsers, from the settings."""
    return BrowserPolicy(
        executable=settings.chromium,
        max_targets=settings.max_targets_per_browser,
        memory_mb=settings.browser_memory_mb,
        pages=settings.browser_pages,
        block=frozenset(_listed(settings.browser_block)),
        keep_failed=settings.browser_keep_failed,
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(each for each in text.split(",") if each)
