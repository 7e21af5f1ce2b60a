"""`swather retry`: make ended tasks ready again."""

from typing import Final

from swather.cli.arguments import DryRun, RunName
from swather.cli.filters import ErrorClassName, Group, Lane, Reasons, States, TaskNumbers
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather retry 20260215_120000-books
swather retry books --reason timeout --dry-run
swather retry books --state cancelled --state failed"""


def command(
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
    from swather.runs.words import count

    if wrong := [one for one in state or [] if one not in TERMINAL]:
        raise InputError(f"only ended tasks can be retried, not those that are {wrong[0]}")
    with database.opened(db) as store:
        found = run_named(store, run)
        default = sorted(TERMINAL) if task else [State.FAILED]
        which = task_filter(
            found.name,
            states=state or default,
            reasons=reason,
            error_class=error_class,
            group=group,
            lane=lane,
            tasks=task,
        )
        number = store.tasks.count(which) if dry_run else store.tasks.retry(which)
        if number and not dry_run:
            store.hints.send()
        command = worker_command(found, code_words.argument(found), db)
    if as_json:
        output.print_json({"run": found.name, "retried": number, "dry_run": dry_run})
        return
    said = "would be ready again" if dry_run else "ready again"
    print(f"run {found.name}: {count(number, 'task')} {said}")
    if number and not dry_run:
        about = code_words.explained(found)
        print(f"to work on them, the command that began the run, or: {command}{about}")
