"""Makes workers from the settings, for all that start them."""

from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

from swather.access_token import is_loopback, tokens_for
from swather.errors import InputError, MissingExtra
from swather.model.lane import BreakerPolicy
from swather.model.lease import Strategy
from swather.model.pacing import AutoPace, CoolDownCurve
from swather.model.proxy_choice import ProxyStrategy, Rotation
from swather.net.egress_policy import BrowserPolicy, PoolPolicy, TorPolicy
from swather.net.fetcher import USER_AGENT
from swather.runs.configuration import delays_now
from swather.runs.fetching import new_fetcher
from swather.runs.partition_plans import planning_of
from swather.runs.storage import bucket_access
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.worker import Worker
from swather.worker.exposition import check_installed
from swather.worker.settings import MetricsAddress, Politeness, TracingPolicy

_LAST_PORT: Final = 65_535


def new_worker(
    settings: Settings, scrapers: Mapping[str, Scraper], kind: type[Worker] = Worker, **given: Any
) -> Worker:
    """A worker of scrapers that the settings are applied to, each its own; `given` is what the
    settings do not say.
    """
    has_own = any(one.options.files_folder != settings.files_folder for one in scrapers.values())
    return kind(
        scrapers=scrapers,
        concurrency=settings.concurrency,
        batch_size=settings.batch_size,
        strategy=None if settings.strategy is None else Strategy(settings.strategy),
        lease_seconds=settings.lease_seconds,
        grace_seconds=settings.grace_seconds,
        poll_seconds=settings.poll_seconds,
        files_folder=None if has_own else settings.files_folder,
        bucket_access=bucket_access(settings),
        new_fetcher=partial(new_fetcher, settings),
        politeness=politeness(settings),
        pool=pool_policy(settings),
        tor=tor_policy(settings),
        browser=browser_policy(settings),
        log_lines=settings.log_lines,
        planning=planning_of(settings),
        log_targets=bool(settings.log_targets),
        delays=partial(delays_now, tuple(scrapers.values())),
        metrics=metrics_address(settings, given.get("number")),
        tracing=tracing_policy(settings),
        **given,
    )


def metrics_address(settings: Settings, number: int | None) -> MetricsAddress | None:
    """Where a worker of this number serves its metrics, from the settings: workers of one machine
    have one port each.
    """
    if settings.metrics_port == 0:
        return None
    check_installed()
    host, port = settings.metrics_host, settings.metrics_port + (number or 0)
    if port > _LAST_PORT:
        raise InputError(
            f"worker {number} has no port for its metrics: metrics_port is {settings.metrics_port}"
        )
    if not is_loopback(host) and settings.api_read_token is None and settings.api_token is None:
        raise InputError(
            f"metrics on {host} can be reached from other machines: set SWATHER_API_READ_TOKEN (16 "
            "characters or more), which Prometheus then sends"
        )
    return MetricsAddress(host=host, port=port, tokens=tokens_for(settings))


def tracing_policy(settings: Settings) -> TracingPolicy | None:
    """Where workers send traces, from the settings."""
    if settings.tracing_endpoint is None:
        return None
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise MissingExtra("traces need OpenTelemetry: pip install 'swather[tracing]'")
    return TracingPolicy(endpoint=settings.tracing_endpoint, share=settings.tracing_share)


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
