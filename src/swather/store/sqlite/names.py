"""From names to row ids, inside a transaction."""

from swather.model.private import is_public_host
from swather.store.checks import check_known, unknown_run
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def run_id(connection: Connection, name: str) -> int:
    check_known(name)
    found = connection.row(queries.find_run, (name,))
    if found is None:
        raise unknown_run(name)
    number: int = found[0]
    return number


def lane_id(connection: Connection, name: str, kind: str = "lane") -> int:
    """The lane's row, made if needed."""
    if not name:
        return 0
    is_public = kind == "lane" and is_public_host(name)
    connection.execute(queries.ensure_lane, {"kind": kind, "name": name, "is_public": is_public})
    number: int = connection.value(queries.find_lane, (kind, name))
    return number
