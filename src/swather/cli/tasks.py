"""`swather tasks`: tasks of a run, by filter."""

from typing import Annotated, Any, Final

import typer

from swather.cli.arguments import RunOrNewest
from swather.cli.filters import ErrorClassName, Group, Lane, Reasons, States, TaskNumbers
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather tasks
swather tasks 20260215_120000-books --state failed --reason timeout
swather tasks --task 12 --json | jq '.[0].traceback'"""


def command(
    run: RunOrNewest = None,
    state: States = None,
    reason: Reasons = None,
    error_class: ErrorClassName = None,
    group: Group = None,
    lane: Lane = None,
    task: TaskNumbers = None,
    after: Annotated[
        int, typer.Option(min=0, metavar="TASK", help="Begin after the task of this number.")
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N tasks.")] = 50,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List tasks of a run.

    All conditions that are given must hold. Tasks come in the order of their numbers; --after goes
    on where a list ended.
    """
    import msgspec

    from swather.cli import database, output
    from swather.cli.selection import run_named, task_filter

    with database.opened(db) as store:
        name = run_named(store, run).name
        which = task_filter(
            name,
            states=state,
            reasons=reason,
            error_class=error_class,
            group=group,
            lane=lane,
            tasks=task,
        )
        found = store.tasks.find(which, after_id=after, limit=limit + 1)
    more = len(found) > limit
    del found[limit:]
    if as_json:
        output.print_json(msgspec.to_builtins(found))
        return
    if not found:
        print(f"run {name}: no such task")
        return
    rows = [_row(one) for one in found]
    output.show(output.listing(("task", "state", "reason", "attempts", "target", "error"), rows))
    if more:
        print(f"there are more: --after {found[-1].id}")


def _row(task: Any) -> tuple[Any, ...]:
    from swather.masking import masked, masked_data

    error = (task.error or "").partition("\n")[0]
    # Masked while it is whole: a password that is cut off is no longer found.
    target = masked_data(task.target)
    target = target if isinstance(target, str) else repr(target)
    return (
        str(task.id),
        str(task.state),
        task.reason,
        task.attempts,
        _short(target),
        _short(masked(error)),
    )


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"
