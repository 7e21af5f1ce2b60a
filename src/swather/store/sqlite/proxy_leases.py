"""Leases of proxies: a worker has some for itself alone, until it ends."""

from swather.model.proxy import Pool
from swather.store.checks import unknown_worker
from swather.store.proxy_rows import own_and_free
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def checkout(connection: Connection, worker_id: int, wanted: int, pool: Pool) -> list[int]:
    """Inside the transaction in which the pool was read."""
    if not connection.row(queries.is_live, (worker_id,)):
        raise unknown_worker(worker_id)
    own, free = own_and_free(pool, worker_id)
    taken = free[: max(wanted - len(own), 0)]
    connection.executemany(queries.lease_proxy, [(number, worker_id) for number in taken])
    if taken:
        connection.execute(queries.change_pool)
    return sorted([*own, *taken])


def end_leases(connection: Connection, worker_id: int) -> None:
    """Inside a transaction: the proxies of a worker are everybody's again."""
    if connection.execute_counting(queries.end_proxy_leases, (worker_id,)):
        connection.execute(queries.change_pool)


def end_stray_leases(connection: Connection) -> None:
    """Inside a transaction: those of workers that are not alive."""
    if connection.execute_counting(queries.end_stray_proxy_leases):
        connection.execute(queries.change_pool)
