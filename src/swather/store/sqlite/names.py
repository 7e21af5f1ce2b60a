"""From names to row ids, inside a transaction."""

from collections import OrderedDict
from typing import Final

from swather.model.private_addresses import is_public_host
from swather.store.checks import check_known, unknown_run
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries

MAX_KNOWN_HEADS: Final = 100_000


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


class Heads:
    """Head ids by (run, partition, lane), cached so that a batch need not look up each row.

    Committed ids are never used twice, so cached ids of a removed run are useless, but not wrong.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: OrderedDict[tuple[int, str, str], int] = OrderedDict()
        self._rollbacks = connection.rollbacks

    def id_of(self, run_id: int, partition: str, lane: str) -> int:
        if self._rollbacks != self._connection.rollbacks:
            self._rollbacks = self._connection.rollbacks
            self._known.clear()
        key = run_id, partition, lane
        head_id = self._known.get(key)
        if head_id is not None:
            return head_id
        where = {
            "run_id": run_id,
            "partition": partition,
            "lane_id": lane_id(self._connection, lane),
        }
        self._connection.execute(queries.ensure_head, where)
        head_id = self._connection.value(queries.get_head, where)
        if partition:
            self._connection.execute(queries.ensure_partition, (run_id, partition))
        assert isinstance(head_id, int)
        self._known[key] = head_id
        if len(self._known) > MAX_KNOWN_HEADS:
            self._known.popitem(last=False)
        return head_id
