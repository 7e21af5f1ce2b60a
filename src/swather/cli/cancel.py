"""`swather cancel`: end a run, or tasks of it."""

from typing import Final

from swather.cli.arguments import DryRun, RunName
from swather.cli.filters import ErrorClassName, Group, Lane, Reasons, States, TaskNumbers
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather cancel 20260215_120000-books
swather cancel books --lane example.com --dry-run
swather cancel books --task 12 --task 13"""


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
