"""The proxy pool: what is in it, and how it fares."""

from collections.abc import Collection, Iterable, Sequence

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
from swather.store.checks import check_limit
from swather.store.proxy_rows import (
    checked_reports,
    health_of,
    judged,
    matching,
    pairs_of,
    pool_of,
    proxy_rows,
)
from swather.store.proxy_sources import by_key, check_proxy_source, source_rows, traits
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class SQLiteProxies:
    """See swather.store.ports.Proxies."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def load(self, lines: Sequence[ProxyLine], *, source: str, replace: bool) -> Loaded:
        check_proxy_source(source)
        wanted = by_key(lines)
        now = self._connection.clock.wall()
        with self._connection.transaction():
            known: dict[str, int] = dict(self._connection.rows(queries.proxies_by_key))
            new = [(key, line.url, now) for key, line in wanted.items() if key not in known]
            ids = known | dict(self._connection.many_rows(queries.add_proxy, new))
            rows = source_rows(wanted, ids)
            self._connection.executemany(
                queries.set_proxy_source,
                [{**row._asdict(), "source": source, "now": now} for row in rows],
            )
            listed = [row.proxy_id for row in rows]
            left = self._leave(source, set(listed)) if replace else []
            updated, removed = self._settle([*listed, *left])
            old = set(listed) - {ids[key] for key, _, _ in new}
            if new or updated or left:
                self._connection.execute(queries.change_pool)
        changed = len(updated & old)
        return Loaded(
            added=len(new), updated=changed, removed=removed, unchanged=len(old) - changed
        )

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
            now = self._connection.clock.wall()
        return pool_of(version, now, rows, banned, tags, country)

    def report(self, reports: Sequence[ProxyReport], rule: BlacklistRule) -> int:
        reports = checked_reports(reports)
        pairs = pairs_of(reports)
        numbers = sorted({(pair.proxy_id,) for pair in pairs})
        with self._connection.transaction():
            proxies = self._connection.many_rows(queries.proxy_health, numbers)
            sites = self._connection.many_rows(
                queries.site_health, [pair._asdict() for pair in pairs]
            )
            found = judged(
                reports,
                rule,
                self._connection.clock.wall(),
                {row[0]: health_of(row[1:]) for row in proxies},
                {row[:2]: health_of(row[2:]) for row in sites},
            )
            self._connection.executemany(
                queries.set_proxy_health, [row._asdict() for row in found.proxies]
            )
            self._connection.executemany(
                queries.set_site_health, [row._asdict() for row in found.sites]
            )
            sql = queries.change_pool if found.has_news else queries.pool_version
            version: int = self._connection.value(sql)
            return version

    def find(self, which: ProxyFilter = ALL_PROXIES, *, limit: int = 1_000) -> list[ProxyRow]:
        check_limit(limit)
        with self._connection.reading():
            rows = self._connection.rows(queries.list_proxies)
            sources = self._connection.rows(queries.sources_of_proxies)
            banned = self._connection.rows(queries.banned_proxies)
        found = proxy_rows(rows, sources, banned, self._connection.clock.wall())
        return matching(found, which, limit)

    def _leave(self, source: str, listed: set[int]) -> list[int]:
        """Take out of the source what is not listed."""
        rows = self._connection.rows(queries.proxies_of_source, (source,))
        left = [row[0] for row in rows if row[0] not in listed]
        self._connection.executemany(queries.leave_source, [(source, number) for number in left])
        return left

    def _settle(self, numbers: Iterable[int]) -> tuple[set[int], int]:
        """Give proxies the traits that their sources say, and remove those that have none: which
        ones have changed, and how many are removed.
        """
        each = [(number,) for number in numbers]
        said = traits(self._connection.many_rows(queries.sources_of_proxy, each))
        have = {row[0]: row for row in self._connection.many_rows(queries.proxy_traits, each)}
        changed = [its for number, its in said.items() if have[number] != tuple(its)]
        self._connection.executemany(queries.set_proxy_traits, [its._asdict() for its in changed])
        gone = [number for number in have if number not in said]
        self._remove(gone)
        return {its.proxy_id for its in changed}, len(gone)

    def _remove(self, numbers: Collection[int]) -> None:
        each = [(number,) for number in numbers]
        for sql in (
            queries.remove_proxy,
            queries.remove_proxy_sites,
            queries.remove_proxy_sources,
            queries.remove_proxy_lease,
        ):
            self._connection.executemany(sql, each)
