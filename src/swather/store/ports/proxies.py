"""The verbs of the proxy pool: what is in it, how it fares, and who has a proxy for itself."""

from collections.abc import Collection, Sequence
from typing import Protocol

from swather.model.proxy import (
    ALL_PROXIES,
    BlacklistRule,
    Loaded,
    Pool,
    ProxyDetail,
    ProxyFilter,
    ProxyReport,
    ProxyRow,
    ProxySite,
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
        are gone are dropped. After ConnectionLost they may have been counted: whoever repeats them
        then may count them twice.
        """
        ...

    def find(self, which: ProxyFilter = ALL_PROXIES, *, limit: int = 1_000) -> list[ProxyRow]:
        """In order of their ids."""
        ...

    def get(self, proxy: int | str) -> ProxyDetail:
        """By its id, or by its address in any form in which lists have it. NotFound; InputError if
        several have this address.
        """
        ...

    def sites(self, ids: Collection[int]) -> dict[int, list[ProxySite]]:
        """How each of these proxies fares on its sites, the latest used first."""
        ...

    def enable(self, ids: Collection[int]) -> int:
        """Let workers use them again, at once: they also leave the blacklist, on all sites. Returns
        how many of them there are, as the next two do.
        """
        ...

    def disable(self, ids: Collection[int]) -> int:
        """Nobody uses them any more, not even a worker that has one for itself."""
        ...

    def remove(self, ids: Collection[int]) -> int:
        """Delete them with all that is known of them. A list that has them brings them back."""
        ...

    def probe(self, proxy_id: int, site: str, *, worker_id: int, seconds: float) -> bool:
        """Take the one request that decides on a proxy whose time on the blacklist is over, for all
        sites, for this one, or for both: True for one caller of the fleet in so many seconds. False
        as well for a proxy that another worker has for itself.
        """
        ...

    def checkout(
        self,
        worker_id: int,
        wanted: int,
        *,
        tags: Collection[str] = (),
        country: str = "",
        source: str = "",
    ) -> list[int]:
        """Lease proxies until the worker has `wanted` that match, so that no other worker uses
        them; those that are not blacklisted first, and of these the least used. Returns the ids of
        all that match and are its own now, which may be fewer. The leases end with the worker, as
        those of tasks do.
        """
        ...

    def give_back(self, worker_id: int) -> None:
        """End all leases of the worker."""
        ...

    def forget_sites(self) -> int:
        """Delete a batch of what is known of proxies on sites that they have not been used for in a
        long time, or of the oldest where a proxy has too many; returns how many.
        """
        ...
