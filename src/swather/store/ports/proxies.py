"""The verbs of the proxy pool: what is in it, how it fares, and who has a proxy for itself."""

from collections.abc import Collection, Sequence
from typing import Protocol

from swather.model.proxy import (
    ALL_PROXIES,
    BlacklistRule,
    Loaded,
    Pool,
    ProxyFilter,
    ProxyReport,
    ProxyRow,
)
from swather.model.proxy_list import ProxyLine


class Proxies(Protocol):
    def load(self, lines: Sequence[ProxyLine], *, source: str, replace: bool) -> Loaded:
        """Add the proxies of a list, or update what the list says of them; health and whether they
        are enabled stay. With `replace`, those of this source that are not in the list leave it;
        a proxy that is in no source any more is removed from the pool.
        """
        ...

    def version(self) -> int:
        """Changes with every import, removal, blacklisting, result of a probe, and lease."""
        ...

    def pool(self, *, tags: Collection[str] = (), country: str = "", source: str = "") -> Pool:
        """The enabled proxies with all of the tags, from that country and source."""
        ...

    def report(self, reports: Sequence[ProxyReport], rule: BlacklistRule) -> int:
        """Count what came of requests, and blacklist or forgive accordingly; returns the version of
        the pool after it. Reports of one proxy are counted in their order; those of proxies that
        are gone are dropped.
        """
        ...

    def find(self, which: ProxyFilter = ALL_PROXIES, *, limit: int = 1_000) -> list[ProxyRow]:
        """In order of their ids."""
        ...
