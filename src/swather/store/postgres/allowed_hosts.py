"""Allowed hosts: those that a person named, which a run may reach at private addresses."""

from collections.abc import Collection, Iterable

from swather.store.checks import check_host
from swather.store.ports import Sighting
from swather.store.postgres.arrays import Integers, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries


class PostgresAllowedHosts:
    """See swather.store.ports.AllowedHosts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, run: str, hosts: Iterable[tuple[str, int]]) -> None:
        checked = [check_host(*host) for host in hosts]
        self._connection.execute(
            queries.allow_hosts,
            {
                "run_id": run_id(self._connection, run),
                "hosts": Texts(host for host, _ in checked),
                "ports": Integers(port for _, port in checked),
            },
        )

    def pin(self, run: str, host: str, port: int, address: str) -> str | None:
        check_host(host, port)
        this = {"run_id": run_id(self._connection, run), "host": host, "port": port}
        found = self._connection.row(queries.get_allowed_host, this, hot=True)
        if found is None or found[0] is not None:
            return None if found is None else found[0]
        # Not in one statement: it would not see what another worker pinned while it waited.
        self._connection.execute(queries.pin_allowed_host, {**this, "address": address})
        first: str | None = self._connection.value(queries.get_allowed_host, this, hot=True)
        return first

    def pin_all(self, run: str, sightings: Collection[Sighting]) -> None:
        ordered = sorted(sightings)
        self._connection.execute(
            queries.pin_allowed_hosts,
            {
                "run_id": run_id(self._connection, run),
                "hosts": Texts(host for host, _, _ in ordered),
                "ports": Integers(port for _, port, _ in ordered),
                "addresses": Texts(address for _, _, address in ordered),
            },
        )
