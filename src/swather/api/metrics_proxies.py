"""How many proxies are in which state, without reading all of them for each scrape."""

import math
from collections import Counter
from time import monotonic
from typing import Final

from swather.model.proxy import ProxyState
from swather.store import Store

MAX_PROXIES: Final = 100_000
# A time on the blacklist ends by itself, and the pool's version does not tell.
OLD_SECONDS: Final = 60.0


class ProxyCounts:
    """Ten thousand proxies take a tenth of a second: they are read when the pool has changed."""

    def __init__(self) -> None:
        self._version: int | None = None
        self._read_at = -math.inf
        self._counts: Counter[ProxyState] = Counter()

    def read(self, store: Store) -> dict[ProxyState, int]:
        version, now = store.proxies.version(), monotonic()
        if version != self._version or now - self._read_at > OLD_SECONDS:
            self._counts = Counter(each.state for each in store.proxies.find(limit=MAX_PROXIES))
            self._version, self._read_at = version, now
        return dict(self._counts)
