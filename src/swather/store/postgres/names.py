"""From names to row ids."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from swather.model.private_addresses import is_public_host
from swather.model.run import Run
from swather.store.checks import check_known, unknown_run
from swather.store.postgres.arrays import Booleans, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries

MAX_KNOWN_HEADS: Final = 100_000


def run_id(connection: Connection, name: str) -> int:
    check_known(name)
    found: int | None = connection.value(queries.find_run, {"name": name}, hot=True)
    if found is None:
        raise unknown_run(name)
    return found


def run_to_fill(connection: Connection, run: str | Run) -> tuple[int, int | None]:
    """The run's id and task limit."""
    if isinstance(run, Run):
        return run.id, run.task_limit
    check_known(run)
    row = connection.row(queries.find_run_to_fill, {"name": run}, hot=True)
    if row is None:
        raise unknown_run(run)
    return row[0], row[1]


def lane_id(connection: Connection, name: str, kind: str = "lane") -> int:
    """The lane's row, made if needed."""
    if not name:
        return 0
    this = {"kind": kind, "name": name}
    found = connection.value(queries.find_lane, this, hot=True)
    if found is None:
        _make_lanes(connection, kind, [name])
        found = connection.value(queries.find_lane, this, hot=True)
    number: int = found
    return number


def _make_lanes(connection: Connection, kind: str, names: list[str]) -> None:
    connection.execute(
        queries.ensure_lanes,
        {
            "kind": kind,
            "names": Texts(names),
            "public": Booleans(kind == "lane" and is_public_host(name) for name in names),
        },
    )


class Heads:
    """Head ids by (run, partition, lane), cached so that a batch need not look up each row.

    They are made in a transaction of their own: a head without tasks harms nobody. Ids are never
    used twice, so cached ids of a removed run are useless, but not wrong.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: OrderedDict[tuple[int, str, str], int] = OrderedDict()

    def ids_of(self, run: int, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """The head of each (partition, lane), made if needed."""
        found = {}
        unknown = []
        for key in keys:
            head_id = self._known.get((run, *key))
            if head_id is None:
                unknown.append(key)
            else:
                found[key] = head_id
        if unknown:
            made = self._make(run, unknown)
            found.update(made)
            if not self._connection.in_transaction:
                self._remember(run, made)
        return found

    def _remember(self, run: int, made: dict[tuple[str, str], int]) -> None:
        for key, head_id in made.items():
            self._known[run, *key] = head_id
        while len(self._known) > MAX_KNOWN_HEADS:
            self._known.popitem(last=False)

    def _make(self, run: int, keys: list[tuple[str, str]]) -> dict[tuple[str, str], int]:
        partitions = [partition for partition, _ in keys]
        lanes = [lane for _, lane in keys]
        heads = {"run_id": run, "partitions": Texts(partitions), "lanes": Texts(lanes)}
        new_lanes = sorted({lane for lane in lanes if lane})
        new_partitions = sorted({partition for partition in partitions if partition})

        def work() -> dict[tuple[str, str], int]:
            if new_lanes:
                _make_lanes(self._connection, "lane", new_lanes)
            if new_partitions:
                self._connection.execute(
                    queries.ensure_partitions, {"run_id": run, "names": Texts(new_partitions)}
                )
            self._connection.execute(queries.ensure_heads, heads)
            rows = self._connection.rows(queries.find_heads, heads)
            return {(row[0], row[1]): row[2] for row in rows}

        return self._connection.transact(work)
