"""Actions of people: begun, advanced, ended, read."""

from typing import Any

from swather.model.action import Action, ActionState
from swather.model.payload import decode
from swather.model.worker import Process
from swather.store.action_rows import new_action, process_values, seen, shown, unknown_action
from swather.store.checks import MAX_ID, check_limit, may_exist
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


class PostgresActions:
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
        number: int = self._connection.value(
            queries.begin_action, {**row, **process_values(process)}
        )
        return number

    def advance(self, action_id: int, done: int) -> None:
        self._connection.execute(queries.advance_action, {"action_id": action_id, "done": done})

    def end(self, action_id: int, *, done: int | None = None, error: str = "") -> None:
        this = {
            "action_id": action_id,
            "done": done,
            "error": shown(error),
            "state": str(ActionState.FAILED if error else ActionState.DONE),
        }
        self._connection.execute(queries.end_action, this)

    def get(self, action_id: int) -> Action:
        row = None
        if may_exist(action_id):
            row = self._connection.row(queries.get_action, {"action_id": action_id})
        if row is None:
            raise unknown_action(action_id)
        return _action_of(row)

    def find(self, *, before_id: int | None = None, limit: int = 100) -> list[Action]:
        this = {
            "before_id": MAX_ID if before_id is None else min(before_id, MAX_ID),
            "limit": check_limit(limit),
        }
        return [_action_of(row) for row in self._connection.rows(queries.list_actions, this)]


def _action_of(row: tuple[Any, ...]) -> Action:
    process = Process(
        host=row[12], boot_id=row[13], namespace=row[14], pid=row[15], started=row[16]
    )
    action = Action(
        id=row[0],
        at=row[1],
        actor=row[2],
        verb=row[3],
        subject=row[4],
        detail=decode(row[5]),
        state=ActionState(row[6]),
        done=row[7],
        total=row[8],
        error=row[9],
        ended_at=row[10],
    )
    return seen(action, process, is_over=False, silent_seconds=row[11])
