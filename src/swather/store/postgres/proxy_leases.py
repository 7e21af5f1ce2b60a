"""Leases of proxies: a worker has some for itself alone, until it ends."""

from typing import Final

from swather.model.proxy import Pool
from swather.store.checks import unknown_worker
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries
from swather.store.proxy_rows import own_and_free

_POOL: Final = 0x5377_6174_5072_6F78


def lock_pool(connection: Connection) -> None:
    """Inside a transaction, as its first step: those who add, remove or lease proxies take turns.
    Those who report do not wait for them.
    """
    connection.execute(queries.lock_number, {"number": _POOL})


def checkout(connection: Connection, worker_id: int, wanted: int, pool: Pool) -> list[int]:
    """Inside the transaction in which the pool was locked and read."""
    this = {"worker_id": worker_id}
    if connection.row(queries.lock_live_worker, this) is None:
        raise unknown_worker(worker_id)
    own, free = own_and_free(pool, worker_id)
    taken = free[: max(wanted - len(own), 0)]
    if taken:
        connection.execute(queries.lease_proxies, {**this, "proxies": Bigints(taken)})
        connection.execute(queries.change_pool)
    return sorted([*own, *taken])


def end_leases(connection: Connection, worker_id: int) -> None:
    """Inside a transaction: the proxies of a worker are everybody's again."""
    if connection.rows(queries.end_proxy_leases, {"worker_id": worker_id}):
        connection.execute(queries.change_pool)


def end_stray_leases(connection: Connection) -> None:
    """Inside a transaction: those of workers that are not alive."""
    if connection.rows(queries.end_stray_proxy_leases):
        connection.execute(queries.change_pool)
