"""Lists of proxies: loaded into the pool, and what follows for the proxies in them."""

from collections.abc import Collection, Iterable

from swather.model.proxy import Loaded
from swather.model.proxy_list import ProxyLine
from swather.store.proxy_sources import by_key, source_rows, traits
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def load(
    connection: Connection, lines: Iterable[ProxyLine], source: str, *, replace: bool
) -> Loaded:
    wanted = by_key(lines)
    now = connection.clock.wall()
    with connection.transaction():
        known: dict[str, int] = dict(connection.rows(queries.proxies_by_key))
        new = [(key, line.url, now) for key, line in wanted.items() if key not in known]
        ids = known | dict(connection.many_rows(queries.add_proxy, new))
        rows = source_rows(wanted, ids)
        connection.executemany(
            queries.set_proxy_source,
            [{**row._asdict(), "source": source, "now": now} for row in rows],
        )
        listed = [row.proxy_id for row in rows]
        left = _leave(connection, source, set(listed)) if replace else []
        updated, removed = _settle(connection, [*listed, *left])
        old = set(listed) - {ids[key] for key, _, _ in new}
        if new or updated or removed:
            connection.execute(queries.change_pool)
    changed = len(updated & old)
    return Loaded(added=len(new), updated=changed, removed=removed, unchanged=len(old) - changed)


def remove_proxies(connection: Connection, numbers: Iterable[int]) -> int:
    """Inside a transaction; how many there were."""
    each = [(number,) for number in numbers]
    for sql in (
        queries.remove_proxy_sites,
        queries.remove_proxy_sources,
        queries.remove_proxy_lease,
    ):
        connection.executemany(sql, each)
    return len(connection.many_rows(queries.remove_proxy, each))


def _leave(connection: Connection, source: str, listed: Collection[int]) -> list[int]:
    """Take out of the source what is not listed."""
    rows = connection.rows(queries.proxies_of_source, (source,))
    left = [row[0] for row in rows if row[0] not in listed]
    connection.executemany(queries.leave_source, [(source, number) for number in left])
    return left


def _settle(connection: Connection, numbers: Iterable[int]) -> tuple[set[int], int]:
    """Give proxies the traits that their sources say, and remove those that have none: which ones
    have changed, and how many are removed.
    """
    each = [(number,) for number in numbers]
    said = traits(connection.many_rows(queries.sources_of_proxy, each))
    have = {row[0]: row for row in connection.many_rows(queries.proxy_traits, each)}
    changed = [its for number, its in said.items() if have[number] != tuple(its)]
    connection.executemany(queries.set_proxy_traits, [its._asdict() for its in changed])
    removed = remove_proxies(connection, [number for number in have if number not in said])
    return {its.proxy_id for its in changed}, removed
