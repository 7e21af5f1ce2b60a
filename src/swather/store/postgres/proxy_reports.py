"""What workers report of proxies: counted, and judged by the rules of the model.

Whoever writes the health of a proxy, or of one on a site, holds the lock on the proxy's row; rows
are locked in order of their ids, and the version of the pool is changed last.
"""

from collections.abc import Callable, Sequence
from typing import Any

from swather.model.proxy import BlacklistRule, ProxyHealth, ProxyReport
from swather.store.postgres.arrays import Bigints, columns_of
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries
from swather.store.proxy_reports import (
    FORGOTTEN_BATCH,
    MAX_SITES,
    NEW,
    SITE_DAYS,
    HealthRow,
    Pair,
    PairRow,
    health_of,
    judged,
    pairs_of,
    probing,
)

_Read = tuple[float, dict[int, ProxyHealth], dict[Pair, ProxyHealth]]


def report(connection: Connection, reports: Sequence[ProxyReport], rule: BlacklistRule) -> int:
    pairs = pairs_of(reports)

    def work() -> int:
        now, proxies, sites = _locked(connection, pairs)
        found = judged(reports, rule, now, proxies, sites)
        _write(connection, found.proxies, found.sites)
        version: int = connection.value(
            queries.change_pool if found.has_news else queries.pool_version, hot=True
        )
        return version

    return connection.transact(work)


def probe(connection: Connection, pair: PairRow, worker_id: int, seconds: float) -> bool:
    def work() -> bool:
        now, proxies, sites = _locked(connection, [pair])
        proxy = proxies.get(pair.proxy_id)
        owner = connection.value(queries.proxy_owner, {"proxy_id": pair.proxy_id}, hot=True)
        if proxy is None or owner not in (None, worker_id):
            return False
        taken = probing(pair, proxy, sites.get(pair, NEW), now, seconds)
        if taken is not None:
            _write(connection, *taken)
        return taken is not None

    return connection.transact(work)


def forget_sites(connection: Connection) -> int:
    bounds = {"days": SITE_DAYS, "max_sites": MAX_SITES, "limit": FORGOTTEN_BATCH}
    count: int = connection.in_bulk(lambda: connection.value(queries.forget_sites, bounds))
    return count


def forget_all_sites(connection: Connection) -> int:
    total = 0
    while count := forget_sites(connection):
        total += count
    return total


def _locked(connection: Connection, pairs: Sequence[PairRow]) -> _Read:
    if not pairs:
        return 0.0, {}, {}
    numbers = Bigints(sorted({pair.proxy_id for pair in pairs}))
    locked: Callable[[], list[Any]] = connection.send(
        queries.proxy_health, {"proxies": numbers}, hot=True
    )
    # Its snapshot is younger than the locks: it has all that was written under them.
    sites = connection.rows(queries.site_health, columns_of(pairs), hot=True)
    rows = locked()
    return (
        rows[0][-1] if rows else 0.0,
        {row[0]: health_of(row[1:-1]) for row in rows},
        {row[:2]: health_of(row[2:]) for row in sites},
    )


def _write(
    connection: Connection, proxies: Sequence[HealthRow], sites: Sequence[HealthRow]
) -> None:
    if proxies:
        connection.execute(queries.set_proxy_health, columns_of(proxies), hot=True)
    if sites:
        connection.execute(queries.set_site_health, columns_of(sites), hot=True)
