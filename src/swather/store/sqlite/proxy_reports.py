"""What workers report of proxies: counted, and judged by the rules of the model."""

from collections.abc import Iterable, Sequence

from swather.model.proxy import BlacklistRule, ProxyHealth, ProxyReport
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
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def report(connection: Connection, reports: Sequence[ProxyReport], rule: BlacklistRule) -> int:
    pairs = pairs_of(reports)
    with connection.transaction():
        now = connection.clock.wall()
        found = judged(reports, rule, now, _proxies(connection, pairs), _sites(connection, pairs))
        _write(connection, found.proxies, found.sites)
        version: int = connection.value(
            queries.change_pool if found.has_news else queries.pool_version
        )
        return version


def probe(connection: Connection, pair: PairRow, worker_id: int, seconds: float) -> bool:
    with connection.transaction():
        proxy = _proxies(connection, [pair]).get(pair.proxy_id)
        owner = connection.value(queries.proxy_owner, (pair.proxy_id,))
        if proxy is None or owner not in (None, worker_id):
            return False
        site = _sites(connection, [pair]).get(pair, NEW)
        taken = probing(pair, proxy, site, connection.clock.wall(), seconds)
        if taken is not None:
            _write(connection, *taken)
        return taken is not None


def forget_sites(connection: Connection) -> int:
    before = connection.clock.wall() - SITE_DAYS * 86_400
    with connection.transaction():
        return connection.execute_counting(
            queries.forget_sites,
            {"before": before, "max_sites": MAX_SITES, "limit": FORGOTTEN_BATCH},
        )


def forget_all_sites(connection: Connection) -> int:
    total = 0
    while count := forget_sites(connection):
        total += count
    return total


def _proxies(connection: Connection, pairs: Iterable[PairRow]) -> dict[int, ProxyHealth]:
    numbers = sorted({(pair.proxy_id,) for pair in pairs})
    rows = connection.many_rows(queries.proxy_health, numbers)
    return {row[0]: health_of(row[1:]) for row in rows}


def _sites(connection: Connection, pairs: Iterable[PairRow]) -> dict[Pair, ProxyHealth]:
    rows = connection.many_rows(queries.site_health, [pair._asdict() for pair in pairs])
    return {row[:2]: health_of(row[2:]) for row in rows}


def _write(
    connection: Connection, proxies: Iterable[HealthRow], sites: Iterable[HealthRow]
) -> None:
    connection.executemany(queries.set_proxy_health, [row._asdict() for row in proxies])
    connection.executemany(queries.set_site_health, [row._asdict() for row in sites])
