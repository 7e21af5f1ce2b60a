"""Actions of people: begun, advanced, ended, read."""

from typing import Any

from swather import posix
from swather.model.action import Action, ActionState
from swather.model.payload import decode
from swather.model.worker import Process
from swather.store.action_rows import new_action, process_values, seen, shown, unknown_action
from swather.store.checks import MAX_ID, check_limit, may_exist
from swather.store.clock import Clock, at, at_or_none
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class SQLiteActions:
    """See swather.store.ports.Actions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(
        self,
        *,
        actor: str,
        verb: str,
        subject: str,
        detail: dict[str, Any],
        total: int | None = None,
        process: Process | None = None,
    ) -> int:
        row = new_action(actor=actor, verb=verb, subject=subject, detail=detail, total=total)
        values = {**row, **process_values(process), "now": self._connection.clock.wall()}
        with self._connection.transaction():
            number: int = self._connection.value(queries.begin_action, values)
            return number

    def advance(self, action_id: int, done: int) -> None:
        this = {"action_id": action_id, "done": done, "now": self._connection.clock.wall()}
        with self._connection.transaction():
            self._connection.execute(queries.advance_action, this)

    def end(self, action_id: int, *, done: int | None = None, error: str = "") -> None:
        this = {
            "action_id": action_id,
            "done": done,
            "error": shown(error),
            "state": str(ActionState.FAILED if error else ActionState.DONE),
            "now": self._connection.clock.wall(),
        }
        with self._connection.transaction():
            self._connection.execute(queries.end_action, this)

    def get(self, action_id: int) -> Action:
        row = None
        if may_exist(action_id):
            with self._connection.reading():
                row = self._connection.row(queries.get_action, {"action_id": action_id})
        if row is None:
            raise unknown_action(action_id)
        return _action_of(row, self._connection.clock)

    def find(self, *, before_id: int | None = None, limit: int = 100) -> list[Action]:
        this = {
            "before_id": MAX_ID if before_id is None else min(before_id, MAX_ID),
            "limit": check_limit(limit),
        }
        with self._connection.reading():
            rows = self._connection.rows(queries.list_actions, this)
        return [_action_of(row, self._connection.clock) for row in rows]


def _action_of(row: tuple[Any, ...], clock: Clock) -> Action:
    process = Process(
        host=row[12], boot_id=row[13], namespace=row[14], pid=row[15], started=row[16]
    )
    action = Action(
        id=row[0],
        at=at(row[1]),
        actor=row[2],
        verb=row[3],
        subject=row[4],
        detail=decode(row[5]),
        state=ActionState(row[6]),
        done=row[7],
        total=row[8],
        error=row[9],
        ended_at=at_or_none(row[10]),
    )
    # The file is on this machine, and so were all processes.
    is_over = process.boot_id != posix.boot_id()
    return seen(action, process, is_over=is_over, silent_seconds=clock.wall() - row[11])
