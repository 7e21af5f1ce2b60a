"""`swather tasks`, `retry` and `cancel`: tasks of a run, by filter."""

from typing import Annotated, Any

import typer

from swather.cli.arguments import DryRun, RunName, RunOrNewest
from swather.cli.group import command_in, several_commands
from swather.cli.options import AsJSON, Database
from swather.model.task import State

States = Annotated[
    list[State] | None, typer.Option("--state", help="In this state. May be repeated.")
]
Reasons = Annotated[
    list[str] | None,
    typer.Option(
        "--reason", metavar="REASON", help="Ended for this reason: not_found, timeout … Repeatable."
    ),
]
ErrorClassName = Annotated[
    str | None,
    typer.Option("--error-class", metavar="CLASS", help="Whose last error is of this class."),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="GROUP",
        help="Whose last error is in this group of `errors`; its first characters will do.",
    ),
]
Lane = Annotated[str | None, typer.Option("--lane", metavar="LANE", help="On this lane.")]
TaskNumbers = Annotated[
    list[int] | None,
    typer.Option("--task", metavar="TASK", help="With this number. May be repeated."),
]

commands = several_commands()


@command_in(
    commands,
    "tasks",
    """\
swather tasks
swather tasks 20260215_120000-books --state failed --reason timeout
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
            store,
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
        print(f"run {name}: no matching tasks")
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


@command_in(
    commands,
    "retry",
    """\
swather retry 20260215_120000-books
swather retry books --reason timeout --dry-run
swather retry books --state cancelled --state failed""",
)
def retry(
    run: RunName,
    state: States = None,
    reason: Reasons = None,
    error_class: ErrorClassName = None,
    group: Group = None,
    lane: Lane = None,
    task: TaskNumbers = None,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Make ended tasks ready again.

    Those that failed, unless --state or --task says otherwise. They get fresh budgets, and what
    they produce takes the place of what they had produced. The run is open again.
    """
    from swather.cli import database, output
    from swather.cli.selection import run_named, task_filter, worker_command
    from swather.errors import InputError
    from swather.model.task import TERMINAL, State
    from swather.runs import code_words
    from swather.runs.fresh_chance import close_breakers
    from swather.runs.words import count

    if wrong := [one for one in state or [] if one not in TERMINAL]:
        raise InputError(f"only ended tasks can be retried, not those that are {wrong[0]}")
    with database.opened(db) as store:
        found = run_named(store, run)
        default = sorted(TERMINAL) if task else [State.FAILED]
        which = task_filter(
            store,
            found.name,
            states=state or default,
            reasons=reason,
            error_class=error_class,
            group=group,
            lane=lane,
            tasks=task,
        )
        number = store.tasks.count(which) if dry_run else store.tasks.retry(which)
        closed = 0
        if number and not dry_run:
            closed = close_breakers(store, found.scraper)
            store.hints.send()
        command = worker_command(found, code_words.argument(found), db)
    if as_json:
        output.print_json({"run": found.name, "retried": number, "dry_run": dry_run})
        return
    said = "would be ready again" if dry_run else "ready again"
    print(f"run {found.name}: {count(number, 'task')} {said}")
    if closed:
        print(f"{count(closed, 'circuit breaker')} of {found.scraper} closed for another chance")
    if number and not dry_run:
        about = code_words.explained(found)
        print(f"to run them, repeat the command that started the run, or{about and f' ({about})'}:")
        print(f"    {command}")


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
    as_json: AsJSON = False,
) -> None:
    """End a run, or some of its tasks.

    Tasks that wait are ended, those that run are stopped within two seconds and what they did is
    not kept. Without a condition the whole run ends. `swather retry --state cancelled` brings
    tasks back.
    """
    from swather.cli import database, output
    from swather.cli.selection import run_named, task_filter
    from swather.errors import InputError
    from swather.model.task import TERMINAL, State
    from swather.runs.words import count

    if wrong := [one for one in state or [] if one in TERMINAL]:
        raise InputError(f"a task that is {wrong[0]} has ended already")
    whole = not any((state, reason, error_class, group, lane, task))
    with database.opened(db) as store:
        found = run_named(store, run)
        which = task_filter(
            store,
            found.name,
            states=state or sorted(set(State) - TERMINAL),
            reasons=reason,
            error_class=error_class,
            group=group,
            lane=lane,
            tasks=task,
        )
        if dry_run:
            number = store.tasks.count(which)
        elif whole:
            number = store.runs.cancel(found.name)
        else:
            number = store.tasks.cancel(which)
        store.hints.send()
    if as_json:
        output.print_json(
            {"run": found.name, "cancelled": number, "whole_run": whole, "dry_run": dry_run}
        )
        return
    said = "would be cancelled" if dry_run else "cancelled"
    end = " and the run ended" if whole and not dry_run else ""
    print(f"run {found.name}: {count(number, 'task')} {said}{end}")
