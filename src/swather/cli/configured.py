"""What holds for a command: settings from all their places, and scrapers with them applied."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from swather import settings
from swather.scraping.scraper import Scraper

if TYPE_CHECKING:
    from swather.net.fetcher import WebFetcher
    from swather.store.ports import Store
    from swather.worker.politeness import Politeness

# Settings that take the place of the decorator's option of the same name.
OF_SCRAPERS: Final = (
    "retries", "backoff", "timeout", "rate", "total_rate", "in_flight", "strategy",
    "store_pages",
)  # fmt: skip
DELAYS: Final = ("min_delay_seconds", "max_delay_seconds")


def resolved(
    store: "Store | None" = None, options: Mapping[str, Any] | None = None
) -> settings.Resolved:
    """The settings in force; with a store, those in its settings row too."""
    return settings.read(options, row=None if store is None else store.settings.all())


def applied(scraper: Scraper, held: settings.Settings) -> Scraper:
    """The scraper with the settings that go before its decorator."""
    given = {
        name: value for name in OF_SCRAPERS if (value := getattr(held, name, None)) is not None
    }
    if (delay := delay_of(held)) is not None:
        given["delay"] = delay
    return replace(scraper, options=replace(scraper.options, **given)) if given else scraper


def delay_of(held: settings.Settings) -> tuple[float, float] | None:
    least, most = held.min_delay_seconds, held.max_delay_seconds
    if least is None and most is None:
        return None
    low = least if least is not None else 0.0
    return low, max(low, most if most is not None else low)


def new_fetcher(held: settings.Settings) -> "WebFetcher":
    """A fetcher as the settings want it."""
    from swather.net.fetcher import TIMEOUT_SECONDS, USER_AGENT, WebFetcher

    return WebFetcher(
        held.http_client,
        user_agent=held.user_agent or USER_AGENT,
        connect_seconds=held.connect_timeout,
        read_seconds=held.read_timeout,
        timeout_seconds=held.request_timeout or TIMEOUT_SECONDS,
        max_bytes=held.max_page_bytes,
        max_redirects=held.max_redirects,
    )


def politeness(held: settings.Settings) -> "Politeness":
    """How workers treat sites, as the settings want it."""
    from swather.model.autopace import AutoPace
    from swather.model.blocks import Curve
    from swather.net.fetcher import USER_AGENT
    from swather.worker.breaker import BreakerPolicy
    from swather.worker.politeness import Politeness

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


def params_of(scraper: Scraper, pairs: list[str] | None, held: settings.Settings) -> dict[str, Any]:
    """The parameters of a run: those of swather.toml, and over them those of the command."""
    from swather.scraping import params

    pairs = pairs or []
    known = held.params.get(scraper.name, {})
    if scraper.options.params is None:
        return {**known, **params.parse(scraper, pairs)}
    named = {pair.partition("=")[0].strip() for pair in pairs}
    texts = [f"{name}={_text(value)}" for name, value in known.items() if name not in named]
    return params.parse(scraper, [*texts, *pairs])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
