"""The fast path of finish, one statement. No twin: SQLite has no round trips to save."""

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from swather.model.outcome import Completed, Outcome
from swather.store.finishing import Prepared
from swather.store.postgres.arrays import Bigints, Integers, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries

Fences = Callable[[], list[tuple[Any, ...]]]


def all_plain(
    outcomes: Sequence[Outcome], prepared: Sequence[Prepared]
) -> TypeGuard[Sequence[Completed]]:
    """Whether all outcomes are successes with one reason and nothing but items without keys."""
    first = outcomes[0]
    return isinstance(first, Completed) and all(
        isinstance(outcome, Completed)
        and outcome.reason == first.reason
        and not outcome.part
        and not payload.children
        and not payload.files
        and all(key is None for key, _ in payload.items)
        for outcome, payload in zip(outcomes, prepared, strict=True)
    )


def complete(
    connection: Connection, outcomes: Sequence[Completed], prepared: Sequence[Prepared]
) -> Fences:
    """Inside a transaction. Calling the result gives the fences of the accepted outcomes."""
    values = {
        "tasks": Bigints(outcome.task_id for outcome in outcomes),
        "tokens": Bigints(outcome.token for outcome in outcomes),
        "reason": outcomes[0].reason,
    }
    tasks, tokens, numbers, data = Bigints(), Bigints(), Integers(), Texts()
    for outcome, payload in zip(outcomes, prepared, strict=True):
        for number, (_, encoded) in enumerate(payload.items):
            tasks.append(outcome.task_id)
            tokens.append(outcome.token)
            numbers.append(number)
            data.append(encoded)
    if not tasks:
        return connection.send(queries.complete + queries.completed, values, hot=True)
    items = {"item_tasks": tasks, "item_tokens": tokens, "seqs": numbers, "data": data}
    sql = queries.complete + queries.complete_items + queries.completed
    return connection.send(sql, {**values, **items}, hot=True)
