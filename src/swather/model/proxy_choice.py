"""Which proxy of the pool the next request takes."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import Final

from swather.model.proxy import Proxy

_MAX_HELD: Final = 10_000


class ProxyStrategy(StrEnum):
    """Who gets which proxy: each in turn, by chance (weighted), the one with the fewest uses, or
    always the same one for a worker, a lane or a session, until it fails.
    """

    ROUND_ROBIN = "round_robin"
    RANDOM = "random"
    LEAST_USED = "least_used"
    STICKY_WORKER = "sticky_worker"
    STICKY_LANE = "sticky_lane"
    STICKY_SESSION = "sticky_session"


class Rotation(StrEnum):
    """When a proxy is chosen: for every request, or once for all requests of an attempt. OFF: the
    worker keeps one until it fails.
    """

    REQUEST = "request"
    TARGET = "target"
    OFF = "off"


class ProxyChoice:
    """Chooses among the proxies that may be used, in the order of their ids."""

    def __init__(self, strategy: ProxyStrategy, random: Random) -> None:
        self._strategy = strategy
        self._random = random
        # The id that was last in turn; it starts anywhere, so that workers do not go in step.
        self._last: int | None = None
        self._uses: Counter[int] = Counter()
        # The proxy that a worker, a lane or a session has, by its id.
        self._held: dict[str, int] = {}

    def choose(self, usable: Sequence[Proxy], lane: str, session: str) -> Proxy:
        """One of `usable`, which are not none."""
        match self._strategy:
            case ProxyStrategy.ROUND_ROBIN:
                return self._next(usable)
            case ProxyStrategy.RANDOM:
                weights = [proxy.weight for proxy in usable]
                return self._random.choices(usable, weights)[0]
            case ProxyStrategy.LEAST_USED:
                return self._least_used(usable)
            case ProxyStrategy.STICKY_WORKER:
                return self._hold("", usable)
            case ProxyStrategy.STICKY_LANE:
                return self._hold(lane, usable)
            case ProxyStrategy.STICKY_SESSION:
                return self._hold(session, usable)

    def held(self, usable: Sequence[Proxy], holder: str) -> Proxy | None:
        """The one of `usable` that a worker, a lane or a session has."""
        held = self._held.get(holder)
        return next((proxy for proxy in usable if proxy.id == held), None)

    def let_go(self, proxy_id: int) -> None:
        """Whoever always had this proxy gets another."""
        self._held = {holder: held for holder, held in self._held.items() if held != proxy_id}

    def _next(self, usable: Sequence[Proxy]) -> Proxy:
        if self._last is None:
            chosen = self._random.choice(usable)
        else:
            at = bisect_right(usable, self._last, key=lambda proxy: proxy.id)
            chosen = usable[at % len(usable)]
        self._last = chosen.id
        return chosen

    def _least_used(self, usable: Sequence[Proxy]) -> Proxy:
        """By what the pool says of all workers, and what this one has used since it began."""
        chosen = min(usable, key=lambda proxy: proxy.uses + self._uses[proxy.id])
        self._uses[chosen.id] += 1
        return chosen

    def _hold(self, holder: str, usable: Sequence[Proxy]) -> Proxy:
        if (held := self.held(usable, holder)) is not None:
            return held
        if len(self._held) >= _MAX_HELD:
            self._held.clear()
        chosen = self._next(usable)
        self._held[holder] = chosen.id
        return chosen


def returns_at(proxy: Proxy, site: str) -> float | None:
    """When its time on the blacklist is over, for all sites and for this one; then a probe decides.
    None if it is on none.
    """
    times = (proxy.retry_at, proxy.sites.get(site))
    return max((at for at in times if at is not None), default=None)
