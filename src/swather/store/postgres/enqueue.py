"""Enqueue: targets become tasks, once per key and run, a batch at a time."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from swather.errors import NotFound
from swather.model.run import RunState
from swather.store.batching import Added, Row, fitting
from swather.store.checks import refuse_cancelled
from swather.store.postgres.arrays import Bigints, Blobs, Floats, Smallints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import Heads
from swather.store.postgres.ready import wake
from swather.store.postgres.statements import queries

MAX_STATEMENT_CHARACTERS: Final = 32 << 20
_ADD: Final = queries.add_tasks + queries.added_heads


def parts_of(rows: list[Row]) -> Iterator[list[Row]]:
    """Rows in parts that fit into one statement, however large their targets."""
    part: list[Row] = []
    size = 0
    for row in rows:
        if part and size + len(row.target) > MAX_STATEMENT_CHARACTERS:
            yield part
            part, size = [], 0
        part.append(row)
        size += len(row.target)
    if part:
        yield part


class Enqueuer:
    """Adds tasks that a run does not have yet."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._heads = Heads(connection)

    def add(self, run_id: int, rows: Sequence[Row]) -> int:
        """One transaction, for a run without a limit; the run reopens if anything was new."""
        values = self.values_of(run_id, rows)

        def work() -> int:
            # Both travel together: what a cancelled run was given is rolled back.
            lock = self._connection.send(queries.lock_run, {"run_id": run_id}, hot=True)
            added = self._connection.send(_ADD, values, hot=True)
            state, mask, _ = _locked(lock())
            refuse_cancelled(state)
            return self._added(added(), values, state, mask)

        return self._connection.transact(work)

    def add_within_limit(self, run_id: int, rows: Sequence[Row], limit: int) -> Added:
        """The same for a run with a limit."""
        self.make_heads(run_id, rows)

        def work() -> Added:
            state, mask, _ = self._lock(run_id)
            refuse_cancelled(state)
            fits, over = self._fitting(run_id, rows, limit)
            values = self.values_of(run_id, fits)
            added = self._connection.rows(_ADD, values, hot=True)
            return Added(self._added(added, values, state, mask), over)

        return self._connection.transact(work)

    def _added(
        self, added: list[tuple[Any, ...]], values: dict[str, Any], state: str, mask: int
    ) -> int:
        """Open the run and wake the heads that were added to; how many tasks that were."""
        if added:
            self._open(values, state, mask)
            wake(self._connection, [(row[0], row[1]) for row in added if row[1]])
        return sum(row[2] for row in added)

    def make_heads(self, run_id: int, rows: Sequence[Row]) -> None:
        """Called before the transaction that adds the rows, so that it finds their heads."""
        self._heads.ids_of(run_id, {(row.partition, row.lane) for row in rows})

    def values_of(self, run_id: int, rows: Sequence[Row]) -> dict[str, Any]:
        """The arguments of queries.add_tasks; makes the rows' heads if needed."""
        head_keys = {(row.partition, row.lane) for row in rows}
        heads = self._heads.ids_of(run_id, head_keys)
        mask = 0
        for row in rows:
            mask |= 1 << row.priority
        return {
            "run_id": run_id,
            "heads": Bigints(heads[row.partition, row.lane] for row in rows),
            "priorities": Smallints(row.priority for row in rows),
            "keys": Blobs(row.key for row in rows),
            "targets": Texts(row.target for row in rows),
            "parents": Bigints(row.parent_id for row in rows),
            "due": Floats(row.due_in_seconds for row in rows),
            "mask": mask,
        }

    def add_children(self, run_id: int, rows: Sequence[Row]) -> list[tuple[int, int]]:
        """Inside a transaction; the (head, priority) pairs to wake at its end. A cancelled run
        takes no children, and they do not reopen it.
        """
        state, mask, limit = self._lock(run_id)
        if state == RunState.CANCELLED:
            return []
        if limit is not None:
            rows, _ = self._fitting(run_id, rows, limit)
        values = self.values_of(run_id, rows)
        added = self._connection.rows(_ADD, values, hot=True)
        if added:
            self._open(values, state, mask)
        return [(row[0], row[1]) for row in added if row[1]]

    def _fitting(self, run_id: int, rows: Sequence[Row], limit: int) -> tuple[list[Row], int]:
        """As batching.fitting, with the run locked until the transaction ends; counts what does not
        fit.
        """
        this = {"run_id": run_id}
        self._connection.execute(queries.lock_run_to_fill, this, hot=True)
        there = self._connection.value(queries.count_tasks, this, hot=True)
        keys = Blobs(row.key for row in rows)
        known = self._connection.rows(queries.known_keys, {**this, "keys": keys}, hot=True)
        fits, over = fitting(rows, {key for (key,) in known}, limit - there)
        if over:
            self._connection.execute(
                queries.add_counters,
                {"run_id": Bigints([run_id]), "name": Texts(["over_limit"]), "n": Bigints([over])},
                hot=True,
            )
        return fits, over

    def _lock(self, run_id: int) -> tuple[str, int, int | None]:
        return _locked(self._connection.rows(queries.lock_run, {"run_id": run_id}, hot=True))

    def _open(self, values: dict[str, Any], state: str, mask: int) -> None:
        if state != RunState.OPEN or mask | values["mask"] != mask:
            self._connection.execute(
                queries.open_run, {"run_id": values["run_id"], "mask": values["mask"]}, hot=True
            )


def _locked(rows: list[tuple[Any, ...]]) -> tuple[str, int, int | None]:
    if not rows:
        raise NotFound("the run was removed in the meantime")
    state, mask, limit = rows[0]
    return state, mask, limit
