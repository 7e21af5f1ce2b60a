"""How a worker treats sites: what its policies are when none are given."""

from dataclasses import dataclass, field
from typing import Final

from swather.model.autopace import AutoPace
from swather.model.strikes import CoolDownCurve
from swather.net.fetcher import USER_AGENT
from swather.net.robots import MAX_CRAWL_DELAY_SECONDS, TTL_SECONDS
from swather.worker.access.breaker import BreakerPolicy


@dataclass(frozen=True, kw_only=True)
class Politeness:
    """
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
