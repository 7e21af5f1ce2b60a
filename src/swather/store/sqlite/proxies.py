"""The proxy pool: what is in it, and how it fares."""

from collections.abc import Collection, Sequence

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
from swather.store.checks import check_limit
from swather.store.proxy_reports import check_probe, checked_reports
from swather.store.proxy_rows import (
    check_wanted,
    matching,
    pool_of,
    possible,
    proxy_rows,
    site_rows,
    the_one,
)
from swather.store.proxy_sources import check_proxy_source
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.proxy_leases import checkout, end_leases
from swather.store.sqlite.proxy_lists import load, remove_proxies
from swather.store.sqlite.proxy_reports import forget_sites, probe, report
from swather.store.sqlite.statements import queries


class SQLiteProxies:
    """See swather.store.ports.Proxies."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def load(self, lines: Sequence[ProxyLine], *, source: str, replace: bool) -> Loaded:
        check_proxy_source(source)
        return load(self._connection, lines, source, replace=replace)

    def version(self) -> int:
        with self._connection.reading():
            version: int = self._connection.value(queries.pool_version)
            return version

    def pool(self, *, tags: Collection[str] = (), country: str = "", source: str = "") -> Pool:
        with self._connection.reading():
            version = self._connection.value(queries.pool_version)
            if source:
                rows = self._connection.rows(queries.pool_of_source, {"source": source})
            else:
                rows = self._connection.rows(queries.pool)
            banned = self._connection.rows(queries.banned_proxies)
        return pool_of(version, self._connection.clock.wall(), rows, banned, tags, country)

    def report(self, reports: Sequence[ProxyReport], rule: BlacklistRule) -> int:
        return report(self._connection, checked_reports(reports), rule)

    def probe(self, proxy_id: int, site: str, *, worker_id: int, seconds: float) -> bool:
        pair = check_probe(proxy_id, site, seconds)
        return probe(self._connection, pair, worker_id, seconds)

    def checkout(
        self,
        worker_id: int,
        wanted: int,
        *,
        tags: Collection[str] = (),
        country: str = "",
        source: str = "",
    ) -> list[int]:
        check_wanted(wanted)
        with self._connection.transaction():
            pool = self.pool(tags=tags, country=country, source=source)
            return checkout(self._connection, worker_id, wanted, pool)

    def give_back(self, worker_id: int) -> None:
        with self._connection.transaction():
            end_leases(self._connection, worker_id)

    def find(self, which: ProxyFilter = ALL_PROXIES, *, limit: int = 1_000) -> list[ProxyRow]:
        check_limit(limit)
        return matching(self._rows(), which)[:limit]

    def get(self, proxy: int | str) -> ProxyDetail:
        with self._connection.reading():
            keys = self._connection.rows(queries.proxies_by_key)
            found = the_one(self._rows(), dict(keys), proxy)
            sites = self._connection.rows(queries.sites_of_proxy, (found.id,))
        return ProxyDetail(proxy=found, sites=site_rows(sites, self._connection.clock.wall()))

    def sites(self, ids: Collection[int]) -> dict[int, list[ProxySite]]:
        now = self._connection.clock.wall()
        with self._connection.reading():
            return {
                number: site_rows(self._connection.rows(queries.sites_of_proxy, (number,)), now)
                for number in possible(ids)
            }

    def enable(self, ids: Collection[int]) -> int:
        each = [(number,) for number in possible(ids)]
        with self._connection.transaction():
            self._connection.executemany(queries.forgive_sites_of_proxy, each)
            return self._changed(len(self._connection.many_rows(queries.enable_proxy, each)))

    def disable(self, ids: Collection[int]) -> int:
        each = [(number,) for number in possible(ids)]
        with self._connection.transaction():
            self._connection.executemany(queries.remove_proxy_lease, each)
            return self._changed(len(self._connection.many_rows(queries.disable_proxy, each)))

    def remove(self, ids: Collection[int]) -> int:
        with self._connection.transaction():
            return self._changed(remove_proxies(self._connection, possible(ids)))

    def forget_sites(self) -> int:
        return forget_sites(self._connection)

    def _changed(self, count: int) -> int:
        """The number of proxies that a change has reached, and the pool's new version."""
        if count:
            self._connection.execute(queries.change_pool)
        return count

    def _rows(self) -> list[ProxyRow]:
        with self._connection.reading():
            rows = self._connection.rows(queries.list_proxies)
            sources = self._connection.rows(queries.sources_of_proxies)
            banned = self._connection.rows(queries.banned_proxies)
        return proxy_rows(rows, sources, banned, self._connection.clock.wall())
