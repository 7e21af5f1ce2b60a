"""The proxy pool as one worker sees it between two looks at the database."""

from collections.abc import Collection, Iterator
from time import monotonic
from typing import NamedTuple

from swather.model.duration import duration
from swather.model.proxy import Pool, Proxy
from swather.model.proxy_choice import returns_at
from swather.scraping.proxies import Selection


class _OnSite(NamedTuple):
    """The proxies in the order of their ids: those that may be used there, and the others."""

    usable: list[Proxy]
    out: list[Proxy]


class _Mark(NamedTuple):
    """Until when a proxy is left alone, by the database's clock, and since when, by ours."""

    until: float
    made_at: float


class PoolView:
    """The proxies of a selection, read at `read_at` of the monotonic clock. This worker may use
    those in `leased`, which are its own; or, if that is None, those that no worker has. They must
    have all of the `tags`.
    """

    def __init__(
        self,
        pool: Pool,
        read_at: float,
        selection: Selection,
        *,
        leased: Collection[int] | None = None,
        tags: Collection[str] = (),
    ) -> None:
        self.version = pool.version
        # How many are healthy, whoever uses them.
        self.healthy = sum(proxy.retry_at is None for proxy in pool.proxies)
        self._ahead_seconds = pool.now - read_at
        self._selection = selection
        self._size = len(pool.proxies)
        self._own = [
            proxy
            for proxy in pool.proxies
            if (proxy.worker_id is None if leased is None else proxy.id in leased)
            and set(tags) <= set(proxy.tags)
        ]
        self._by_key = {proxy.key: proxy for proxy in pool.proxies}
        self._on_site: dict[str, _OnSite] = {}
        # Proxies that have failed since, by id and site ('' for all).
        self._marks: dict[tuple[int, str], _Mark] = {}

    @property
    def now(self) -> float:
        """By the clock of the database."""
        return monotonic() + self._ahead_seconds

    @property
    def is_out(self) -> bool:
        """Whether none can be used, whatever the site, nor tried."""
        now = self.now
        return all((self._returns_at(proxy, "") or 0.0) > now for proxy in self._own)

    def proxy(self, key: str) -> Proxy | None:
        return self._by_key.get(key)

    def mark(self, proxy_id: int, site: str, seconds: float) -> None:
        """Leave a proxy alone on this site, '' for all, before the database says so."""
        self._marks[proxy_id, site] = _Mark(self.now + seconds, monotonic())
        self._on_site.clear()

    def keep_marks(self, before: "PoolView", made_after: float) -> None:
        """Take over what was marked on an earlier view, if the database cannot know of it yet."""
        for place, mark in before._marks.items():  # noqa: SLF001 - one view to another
            if mark.made_at >= made_after:
                self._marks[place] = mark
                self._on_site.clear()

    def usable(self, site: str) -> list[Proxy]:
        """Those that may be used there now, in the order of their ids."""
        return self._look(site).usable

    def due(self, site: str) -> Iterator[Proxy]:
        """Those whose time on the blacklist is over: one request may decide on each."""
        out = self._look(site).out
        if out:
            now = self.now
            yield from (proxy for proxy in out if (self._returns_at(proxy, site) or 0.0) <= now)

    def first_return_seconds(self, site: str) -> float | None:
        """How long until the first may be used or tried; None if there is none."""
        now = self.now
        times = [(self._returns_at(proxy, site) or 0.0) - now for proxy in self._own]
        return max(min(times), 0.0) if times else None

    def why_out(self, site: str = "") -> str:
        """Why none can be used, for people to read."""
        if not self._size and not any(self._selection):
            return "the pool has no proxies; import some with `swather proxies import FILE`"
        if not self._size:
            them = f"proxies{_words(self._selection)}"
            return f"the pool has no {them}; `swather proxies` lists what it has"
        if not self._own:
            return f"none of {self._size:,} proxies is free for this worker"
        them = "the only proxy is" if len(self._own) == 1 else f"all {len(self._own):,} proxies are"
        where = f" for {site}" if site else ""
        seconds = self.first_return_seconds(site)
        when = f"the first returns in {duration(seconds)}" if seconds else "one is being tried"
        return f"{them} out{where}; {when}"

    def _look(self, site: str) -> _OnSite:
        found = self._on_site.get(site)
        if found is None:
            found = self._on_site[site] = _OnSite([], [])
            for proxy in self._own:
                is_usable = self._returns_at(proxy, site) is None
                (found.usable if is_usable else found.out).append(proxy)
        return found

    def _returns_at(self, proxy: Proxy, site: str) -> float | None:
        at = returns_at(proxy, site)
        for place in ((proxy.id, site), (proxy.id, "")) if self._marks else ():
            if (mark := self._marks.get(place)) is not None:
                at = max(at or 0.0, mark.until)
        return at


def _words(selection: Selection) -> str:
    tags = f" with the tag {', '.join(selection.tags)}" if selection.tags else ""
    country = f" in {selection.country.upper()}" if selection.country else ""
    source = f" of {selection.source}" if selection.source else ""
    return f"{tags}{country}{source}"
