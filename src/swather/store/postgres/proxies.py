"""The proxy pool: what is in it, and how it fares."""

from collections.abc import Collection, Sequence
from typing import Final

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
from swather.store.postgres.arrays import Bigints, Texts, columns_of
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries
from swather.store.proxy_rows import (
    checked_reports,
    health_of,
    judged,
    matching,
    pairs_of,
    pool_of,
    proxy_rows,
)
from swather.store.proxy_sources import (
    NewProxyRow,
    by_key,
    check_proxy_source,
    source_rows,
    traits,
)

# Whoever adds, removes or leases proxies; who reports does not wait for them.
_CHANGING_THE_POOL: Final = 0x5377_6174_5072_6F78


class PostgresProxies:
    """See swather.store.ports.Proxies."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def load(self, lines: Sequence[ProxyLine], *, source: str, replace: bool) -> Loaded:
        check_proxy_source(source)
        wanted = by_key(lines)

        def work() -> Loaded:
            self._lock()
            known: dict[str, int] = dict(
                self._connection.rows(queries.proxies_by_key, {"key": Texts(wanted)})
            )
            new = [NewProxyRow(key, line.url) for key, line in wanted.items() if key not in known]
            added: dict[str, int] = {}
            if new:
                added = dict(self._connection.rows(queries.add_proxies, columns_of(new)))
            rows = source_rows(wanted, known | added)
            if rows:
                self._connection.execute(
                    queries.set_proxy_sources, {**columns_of(rows), "source": source}
                )
            listed = [row.proxy_id for row in rows]
            left = self._leave(source, listed) if replace else []
            updated, removed = self._settle([*listed, *left])
            changed = len(updated & set(known.values()))
            if new or updated or left:
                self._connection.execute(queries.change_pool)
            return Loaded(
                added=len(new), updated=changed, removed=removed, unchanged=len(known) - changed
            )

        return self._connection.transact(work, pipelined=False)

    def version(self) -> int:
        version: int = self._connection.value(queries.pool_version, hot=True)
        return version

    def pool(self, *, tags: Collection[str] = (), country: str = "", source: str = "") -> Pool:
        # The version first: whatever changes meanwhile makes it outdated.
        sql = queries.pool_of_source if source else queries.pool
        (head,), rows, banned = self._connection.rows_of_each(
            [
                (queries.pool_version, {}),
                (sql, {"source": source} if source else {}),
                (queries.banned_proxies, {}),
            ]
        )
        return pool_of(head[0], head[1], rows, banned, tags, country)

    def report(self, reports: Sequence[ProxyReport], rule: BlacklistRule) -> int:
        reports = checked_reports(reports)
        pairs = pairs_of(reports)
        if not pairs:
            return self.version()
        numbers = Bigints(sorted({pair.proxy_id for pair in pairs}))

        def work() -> int:
            proxies = self._connection.send(queries.proxy_health, {"proxies": numbers}, hot=True)
            # After the lock, so that it sees what others have written under it.
            sites = self._connection.rows(queries.site_health, columns_of(pairs), hot=True)
            rows = proxies()
            found = judged(
                reports,
                rule,
                rows[0][-1] if rows else 0.0,
                {row[0]: health_of(row[1:-1]) for row in rows},
                {row[:2]: health_of(row[2:]) for row in sites},
            )
            if found.proxies:
                self._connection.execute(
                    queries.set_proxy_health, columns_of(found.proxies), hot=True
                )
                self._connection.execute(queries.set_site_health, columns_of(found.sites), hot=True)
            sql = queries.change_pool if found.has_news else queries.pool_version
            version: int = self._connection.value(sql, hot=True)
            return version

        return self._connection.transact(work)

    def find(self, which: ProxyFilter = ALL_PROXIES, *, limit: int = 1_000) -> list[ProxyRow]:
        check_limit(limit)
        (head,), rows, sources, banned = self._connection.rows_of_each(
            [
                (queries.pool_version, {}),
                (queries.list_proxies, {}),
                (queries.sources_of_proxies, {}),
                (queries.banned_proxies, {}),
            ]
        )
        return matching(proxy_rows(rows, sources, banned, head[1]), which, limit)

    def _lock(self) -> None:
        self._connection.execute(queries.lock_number, {"number": _CHANGING_THE_POOL})

    def _leave(self, source: str, listed: Collection[int]) -> list[int]:
        """Take out of the source what is not listed."""
        this = {"source": source, "proxies": Bigints(listed)}
        return [row[0] for row in self._connection.rows(queries.leave_source, this)]

    def _settle(self, numbers: Collection[int]) -> tuple[set[int], int]:
        """Give proxies the traits that their sources say, and remove those that have none: which
        ones have changed, and how many are removed.
        """
        these = {"proxies": Bigints(numbers)}
        have = {row[0]: row for row in self._connection.rows(queries.proxy_traits, these)}
        said = traits(self._connection.rows(queries.traits_by_source, these))
        changed = [its for number, its in said.items() if have[number] != tuple(its)]
        if changed:
            self._connection.execute(queries.set_proxy_traits, columns_of(changed))
        gone = [number for number in have if number not in said]
        self._remove(gone)
        return {its.proxy_id for its in changed}, len(gone)

    def _remove(self, numbers: Collection[int]) -> None:
        """Of rows that are locked."""
        if not numbers:
            return
        these = {"proxies": Bigints(numbers)}
        for sql in (
            queries.remove_proxies,
            queries.remove_proxy_sites,
            queries.remove_proxy_sources,
            queries.remove_proxy_leases,
        ):
            self._connection.execute(sql, these)
