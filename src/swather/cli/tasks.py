"""`swather tasks` and `cancel`: tasks of a run, by filter."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.arguments import DryRun, RunName, RunOrNewest
from swather.cli.group import command_in, several_commands
from swather.cli.options import AsJSON, Database, Server
from swather.cli.task_filter_options import (
    ErrorClassName,
    Group,
    Lane,
    Reasons,
    States,
    TaskNumbers,
)
from swather.model.task import State

if TYPE_CHECKING:
    from collections.abc import Collection

    from swather.model.task import Task
    from swather.model.task_filter import TaskFilter
    from swather.runs.worker_line import RunningTarget
    from swather.store.ports import Store


commands = several_commands()


@command_in(
    commands,
    "tasks",
    """\
swather tasks
swather tasks 20260215_120000-books --state failed --reason timeout
swather tasks --state leased
swather tasks --stuck
swather tasks --task 12 --json | jq '.[0].traceback'""",
)
def list_tasks(
    run: RunOrNewest = None,
    state: States = None,
    reason: Reasons = None,
    error_class: ErrorClassName = None,
    group: Group = None,
    lane: Lane = None,
    task: TaskNumbers = None,
    stuck: Annotated[
        bool,
        typer.Option("--stuck", help="Running for much longer than usual; see `swather why TASK`."),
    ] = False,
    after: Annotated[
        int, typer.Option(min=0, metavar="TASK", help="Start after the task with this number.")
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N tasks.")] = 50,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """List tasks of a run.

    A task must meet all conditions that are given. Tasks are listed by number; --after continues a
    list where it ended. Leased tasks are shown with their age, worker and attempt; --stuck lists
    those that have run for more than five times as long as usual, and at least two seconds.
    """
    from swather.cli import output
    from swather.runs.task_facts import data_of

    which = {
        "state": state,
        "reason": reason,
        "error_class": error_class,
        "group": group,
        "lane": lane,
        "task": task,
    }
    find = partial(_found_here, db) if server is None else partial(_found_there, server)
    name, found, running, more = find(run, which, stuck=stuck, after=after, limit=limit)
    if as_json:
        output.print_json([data_of(one, running.get(one.id)) for one in found])
        return
    if not found:
        print(f"run {name}: no matching tasks")
        return
    if all(one.state is State.LEASED for one in found):
        rows = [_leased_row(one, running.get(one.id)) for one in found]
        output.show(output.listing(_LEASED_HEADERS, rows))
    else:
        output.show(output.listing(_HEADERS, [_row(one) for one in found]))
    if more:
        print(f"there are more: --after {found[-1].id}")


_HEADERS: Final = ("task", "state", "reason", "attempts", "target", "error")
_LEASED_HEADERS: Final = ("task", "state", "age", "timeout", "worker", "attempt", "target")


Found = tuple[str, "list[Task]", "dict[int, RunningTarget]", bool]


def _found_here(
    db: str | None,
    run: str | None,
    which: dict[str, Any],
    *,
    stuck: bool,
    after: int,
    limit: int,
) -> Found:
    """The run's name, its tasks, which of them run, and whether there are more."""
    from swather.cli import database
    from swather.runs.running import running_targets, stuck_targets
    from swather.runs.selection import run_named

    with database.opened(db) as store:
        name = run_named(store, run).name
        chosen = _filter(store, name, which)
        running = (stuck_targets if stuck else running_targets)(store, name)
        if stuck:
            chosen = _only(chosen, running.keys())
        found = store.tasks.find(chosen, after_id=after, limit=limit + 1)
    return name, found[:limit], running, len(found) > limit


def _found_there(
    server: str,
    run: str | None,
    which: dict[str, Any],
    *,
    stuck: bool,
    after: int,
    limit: int,
) -> Found:
    from swather.cli.remote import client_of, run_named, running_of, task_of

    client = client_of(server)
    name = run_named(client, run)
    rows: list[dict[str, Any]] = []
    more = False
    # A part may end early, where a filter matches few of many.
    while len(rows) < limit:
        part = min(limit - len(rows), 1_000)
        page = client.tasks.list(name, stuck=stuck, after=after, limit=part, **which)
        rows += page["tasks"]
        more = page["next"] is not None
        if not more:
            break
        after = int(page["next"])
    running = {row["task"]: running_of(row) for row in rows if row.get("running")}
    return name, [task_of(row) for row in rows], running, more


def _filter(store: "Store", run: str, which: dict[str, Any]) -> "TaskFilter":
    from swather.runs.selection import task_filter

    return task_filter(
        store,
        run,
        states=which["state"],
        reasons=which["reason"],
        error_class=which["error_class"],
        group=which["group"],
        lane=which["lane"],
        tasks=which["task"],
    )


def _only(which: "TaskFilter", numbers: "Collection[int]") -> "TaskFilter":
    """The filter, for tasks of these numbers."""
    import msgspec

    wanted = set(numbers) if which.task_ids is None else set(numbers) & set(which.task_ids)
    return msgspec.structs.replace(which, task_ids=tuple(sorted(wanted)))


def _leased_row(task: "Task", running: "RunningTarget | None") -> tuple[Any, ...]:
    """One that no slot has taken yet, or that has only just started, is as old as its claim."""
    from datetime import UTC, datetime

    from swather.runs.words import duration

    if running is not None:
        limit = None if running.timeout is None else duration(running.timeout)
        age, state, attempt = running.seconds, "running", running.attempt
    else:
        held = datetime.now(UTC) - (task.claimed_at or datetime.now(UTC))
        limit, age = None, held.total_seconds()
        state, attempt = "leased", task.attempts + 1
    return str(task.id), state, duration(age), limit, task.worker, attempt, _target(task)


def _row(task: "Task") -> tuple[Any, ...]:
    from swather.masking import masked

    error = (task.error or "").partition("\n")[0]
    return (
        str(task.id),
        str(task.state),
        task.reason,
        task.attempts,
        _target(task),
        _short(masked(error)),
    )


def _target(task: "Task") -> str:
    """Masked while it is whole: a password that is cut off is no longer found."""
    from swather.masking import masked_data

    target = masked_data(task.target)
    return _short(target if isinstance(target, str) else repr(target))


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"


@command_in(
    commands,
    "cancel",
    """\
swather cancel 20260215_120000-books
swather cancel books --lane example.com --dry-run
swather cancel books --task 12 --task 13""",
)
def cancel(
    run: RunName,
    state: States = None,
    reason: Reasons = None,
    error_class: ErrorClassName = None,
    group: Group = None,
    lane: Lane = None,
    task: TaskNumbers = None,
    dry_run: DryRun = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Cancel a run, or some of its tasks.

    Waiting tasks are cancelled at once; running ones are stopped within two seconds, and their
    results are dropped. Without a condition the whole run is cancelled. To undo it for tasks:
    `swather retry RUN --state cancelled`.
    """
    from swather.cli import output
    from swather.errors import InputError
    from swather.model.task import TERMINAL
    from swather.runs.words import count

    if wrong := [one for one in state or [] if one in TERMINAL]:
        raise InputError(f"{wrong[0]} tasks have already ended and cannot be cancelled")
    which = {
        "state": state,
        "reason": reason,
        "error_class": error_class,
        "group": group,
        "lane": lane,
        "task": task,
    }
    whole = not any(which.values())
    do = partial(_cancel_here, db) if server is None else partial(_cancel_there, server)
    name, number = do(run, which, whole=whole, dry_run=dry_run)
    if as_json:
        output.print_json(
            {"run": name, "cancelled": number, "whole_run": whole, "dry_run": dry_run}
        )
        return
    said = "would be cancelled" if dry_run else "cancelled"
    end = " and the run ended" if whole and not dry_run else ""
    print(f"run {name}: {count(number, 'task')} {said}{end}")


def _cancel_here(
    db: str | None, run: str, which: dict[str, Any], *, whole: bool, dry_run: bool
) -> tuple[str, int]:
    """The run's name, and how many tasks."""
    from swather.cli import database
    from swather.model.task import TERMINAL
    from swather.runs.selection import run_named

    with database.opened(db) as store:
        name = run_named(store, run).name
        states = which["state"] or sorted(set(State) - TERMINAL)
        chosen = _filter(store, name, {**which, "state": states})
        if dry_run:
            number = store.tasks.count(chosen)
        elif whole:
            number = store.runs.cancel(name)
        else:
            number = store.tasks.cancel(chosen)
        store.hints.send()
    return name, number


def _cancel_there(
    server: str, run: str, which: dict[str, Any], *, whole: bool, dry_run: bool
) -> tuple[str, int]:
    from swather.cli.remote import client_of, given_of

    client = client_of(server)
    if whole:
        answer = client.runs.cancel(run, dry_run=dry_run)
    else:
        answer = client.tasks.cancel(run, dry_run=dry_run, **given_of(which))
    done = client.wait(answer)
    return answer["run"], done["done"] if answer["cancelled"] is None else answer["cancelled"]
