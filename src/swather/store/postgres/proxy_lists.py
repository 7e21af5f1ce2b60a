"""Lists of proxies: loaded into the pool, and what follows for the proxies in them."""

from collections.abc import Collection, Iterable

from swather.model.proxy import Loaded
from swather.model.proxy_list import ProxyLine
from swather.store.postgres.arrays import Bigints, Texts, columns_of
from swather.store.postgres.connection import Connection
from swather.store.postgres.proxy_leases import lock_pool
from swather.store.postgres.statements import queries
from swather.store.proxy_sources import NewProxyRow, by_key, source_rows, traits


def load(
    connection: Connection, lines: Iterable[ProxyLine], source: str, *, replace: bool
) -> Loaded:
    wanted = by_key(lines)

    def work() -> Loaded:
        lock_pool(connection)
        keys = {"key": Texts(wanted)}
        known: dict[str, int] = dict(connection.rows(queries.proxies_by_key, keys))
        new = [NewProxyRow(key, line.url) for key, line in wanted.items() if key not in known]
        added: dict[str, int] = {}
        if new:
            added = dict(connection.rows(queries.add_proxies, columns_of(new)))
        rows = source_rows(wanted, known | added)
        if rows:
            connection.execute(queries.set_proxy_sources, {**columns_of(rows), "source": source})
        listed = [row.proxy_id for row in rows]
        left = _leave(connection, source, listed) if replace else []
        updated, removed = _settle(connection, [*listed, *left])
        changed = len(updated & set(known.values()))
        if new or updated or removed:
            connection.execute(queries.change_pool)
        return Loaded(
            added=len(new), updated=changed, removed=removed, unchanged=len(known) - changed
        )

    return connection.transact(work, pipelined=False)


def remove_proxies(connection: Connection, numbers: Iterable[int]) -> int:
    """Inside a transaction that has locked the pool; how many there were."""
    these = {"proxies": Bigints(numbers)}
    found = connection.rows(queries.lock_proxies, these)
    if found:
        for sql in (
            queries.remove_proxies,
            queries.remove_proxy_sites,
            queries.remove_proxy_sources,
            queries.remove_proxy_leases,
        ):
            connection.execute(sql, these)
    return len(found)


def _leave(connection: Connection, source: str, listed: Collection[int]) -> list[int]:
    """Take out of the source what is not listed."""
    this = {"source": source, "proxies": Bigints(listed)}
    return [row[0] for row in connection.rows(queries.leave_source, this)]


def _settle(connection: Connection, numbers: Collection[int]) -> tuple[set[int], int]:
    """Give proxies the traits that their sources say, and remove those that have none: which ones
    have changed, and how many are removed.
    """
    these = {"proxies": Bigints(numbers)}
    have = {row[0]: row for row in connection.rows(queries.proxy_traits, these)}
    said = traits(connection.rows(queries.traits_by_source, these))
    changed = [its for number, its in said.items() if have[number] != tuple(its)]
    if changed:
        connection.execute(queries.set_proxy_traits, columns_of(changed))
    removed = remove_proxies(connection, [number for number in have if number not in said])
    return {its.proxy_id for its in changed}, removed
