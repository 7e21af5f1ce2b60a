"""The proxy pool: what is in it, and how it fares."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

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
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.proxy_leases import checkout, end_leases, lock_pool
from swather.store.postgres.proxy_lists import load, remove_proxies
from swather.store.postgres.proxy_reports import forget_sites, probe, report
from swather.store.postgres.statements import queries
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


class PostgresProxies:
    """See swather.store.ports.Proxies."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def load(self, lines: Sequence[ProxyLine], *, source: str, replace: bool) -> Loaded:
        check_proxy_source(source)
        return load(self._connection, lines, source, replace=replace)

    def version(self) -> int:
        version: int = self._connection.value(queries.pool_version, hot=True)
        return version

    def pool(self, *, tags: Collection[str] = (), country: str = "", source: str = "") -> Pool:
        sql = queries.pool_of_source if source else queries.pool
        # The version first: whatever changes meanwhile makes it outdated.
        (head,), rows, banned = self._connection.rows_of_each(
            [
                (queries.pool_version, {}),
                (sql, {"source": source} if source else {}),
                (queries.banned_proxies, {}),
            ]
        )
        return pool_of(head[0], head[1], rows, banned, tags, country)

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

        def work() -> list[int]:
            lock_pool(self._connection)
            pool = self.pool(tags=tags, country=country, source=source)
            return checkout(self._connection, worker_id, wanted, pool)

        return self._connection.transact(work)

    def give_back(self, worker_id: int) -> None:
        self._connection.transact(lambda: end_leases(self._connection, worker_id))

    def find(self, which: ProxyFilter = ALL_PROXIES, *, limit: int = 1_000) -> list[ProxyRow]:
        check_limit(limit)
        _, rows = self._rows()
        return matching(rows, which)[:limit]

    def get(self, proxy: int | str) -> ProxyDetail:
        now, rows = self._rows()
        found = the_one(rows, dict(self._connection.rows(queries.proxy_keys)), proxy)
        sites = self._connection.rows(queries.sites_of_proxy, {"proxy_id": found.id})
        return ProxyDetail(proxy=found, sites=site_rows(sites, now))

    def sites(self, ids: Collection[int]) -> dict[int, list[ProxySite]]:
        wanted = possible(ids)
        found: dict[int, list[Sequence[Any]]] = {number: [] for number in wanted}
        (head,), rows = self._connection.rows_of_each(
            [
                (queries.pool_version, {}),
                (queries.sites_of_proxies, {"proxies": Bigints(wanted)}),
            ]
        )
        for number, *row in rows:
            found[number].append(row)
        return {number: site_rows(each, head[1]) for number, each in found.items()}

    def enable(self, ids: Collection[int]) -> int:
        these = {"proxies": Bigints(possible(ids))}

        def work() -> int:
            found = self._connection.rows(queries.lock_proxies, these)
            self._connection.execute(queries.enable_proxies, these)
            self._connection.execute(queries.forgive_sites_of_proxies, these)
            return len(found)

        return self._changing(work)

    def disable(self, ids: Collection[int]) -> int:
        these = {"proxies": Bigints(possible(ids))}

        def work() -> int:
            found = self._connection.rows(queries.lock_proxies, these)
            self._connection.execute(queries.disable_proxies, these)
            self._connection.execute(queries.remove_proxy_leases, these)
            return len(found)

        return self._changing(work)

    def remove(self, ids: Collection[int]) -> int:
        return self._changing(lambda: remove_proxies(self._connection, possible(ids)))

    def forget_sites(self) -> int:
        return forget_sites(self._connection)

    def _changing(self, work: Callable[[], int]) -> int:
        """Change the pool, if this reaches any proxies; returns how many."""

        def change() -> int:
            lock_pool(self._connection)
            count = work()
            if count:
                self._connection.execute(queries.change_pool)
            return count

        return self._connection.transact(change)

    def _rows(self) -> tuple[float, list[ProxyRow]]:
        (head,), rows, sources, banned = self._connection.rows_of_each(
            [
                (queries.pool_version, {}),
                (queries.list_proxies, {}),
                (queries.sources_of_proxies, {}),
                (queries.banned_proxies, {}),
            ]
        )
        return head[1], proxy_rows(rows, sources, banned, head[1])
