"""Allowed hosts: those that a person named, which a run may reach at private addresses."""

from collections.abc import Collection, Iterable

from swather.store.checks import check_host
from swather.store.ports import Sighting
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries


class SQLiteAllowedHosts:
    """See swather.store.ports.AllowedHosts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, run: str, hosts: Iterable[tuple[str, int]]) -> None:
        checked = [check_host(*host) for host in hosts]
        with self._connection.transaction():
            number = run_id(self._connection, run)
            self._connection.executemany(queries.allow_host, [(number, *host) for host in checked])

    def pin(self, run: str, host: str, port: int, address: str) -> str | None:
        check_host(host, port)
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run), "host": host, "port": port}
            found = self._connection.row(queries.get_allowed_host, this)
        if found is None or found[0] is not None:
            return None if found is None else found[0]
        with self._connection.transaction():
            self._connection.execute(queries.pin_allowed_host, {**this, "address": address})
            first: str | None = self._connection.value(queries.get_allowed_host, this)
            return first

    def pin_all(self, run: str, sightings: Collection[Sighting]) -> None:
        with self._connection.transaction():
            number = run_id(self._connection, run)
            self._connection.executemany(
                queries.pin_allowed_host,
                [
                    {"run_id": number, "host": host, "port": port, "address": address}
                    for host, port, address in sightings
                ],
            )
