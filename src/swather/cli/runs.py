"""`swather runs …`: list, close, remove and prune runs."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final

import typer

from swather.cli.amounts import seconds_of
from swather.cli.arguments import DryRun, RunName
from swather.cli.confirm import Yes, confirm
from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, DatabaseToChange, Server
from swather.errors import InputError

EXAMPLES: Final = """\
swather runs
swather runs ls --state open
swather runs close books
swather runs rm 20260215_120000-books
swather runs prune --older-than 30d"""

group = listing_group(EXAMPLES)


@group.callback()
def runs(
    ctx: typer.Context, db: Database = None, server: Server = None, as_json: AsJSON = False
) -> None:
    """List, close, remove and prune runs.

    Without a command, lists them.
    """
    list_unless_called(ctx, list_runs, db, server=server, as_json=as_json)


class StateName(StrEnum):
    """The state of a run."""

    OPEN = "open"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@command_in(
    group,
    "ls",
    """\
swather runs ls
swather runs ls --state open --json""",
)
def list_runs(
    state: Annotated[
        StateName | None, typer.Option("--state", help="Only runs in this state.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N runs.")] = 20,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """List runs, the newest first."""
    from swather.cli import output

    find = partial(_rows_here, db) if server is None else partial(_rows_there, server)
    rows = find(state, limit)
    if as_json:
        output.print_json(rows)
    elif rows:
        headers = [name for name in rows[0] if not name.endswith("_at")]
        headers.remove("keep_open")
        cells = [
            [*(row[name] for name in headers), f"{row['created_at'].astimezone():%F %T}"]
            for row in rows
        ]
        output.show(output.listing([*headers, "created"], cells))
    else:
        print("no runs" if state is None else f"no run is {state}")


def _rows_here(db: str | None, state: StateName | None, limit: int) -> list[dict[str, Any]]:
    from swather.cli import database
    from swather.model.run import RunState
    from swather.runs.run_rows import row_of

    with database.opened(db) as store:
        wanted = None if state is None else RunState(state)
        found = store.runs.find(state=wanted, limit=limit)
        return [row_of(run, store.runs.counts(run.name)) for run in found]


def _rows_there(server: str, state: StateName | None, limit: int) -> list[dict[str, Any]]:
    from swather.cli.remote import client_of

    rows = client_of(server).runs.list(state=state, limit=limit)
    return [{**row, "created_at": datetime.fromisoformat(row["created_at"])} for row in rows]


@command_in(
    group,
    "close",
    """\
swather runs close books
swather runs close 20260215_120000-books""",
)
def close_run(
    run: RunName, db: Database = None, server: Server = None, as_json: AsJSON = False
) -> None:
    """Let a run finish that was kept open for more targets.

    It is finished when its targets are done, at once if they are, and its workers end with it.
    """
    from swather.cli import output

    closed = _closed_here(db, run) if server is None else _closed_there(server, run)
    if as_json:
        output.print_json(closed)
        return
    name, left = closed["run"], closed["unfinished"]
    if not closed["was_kept_open"]:
        print(f"run {name} was not kept open")
    elif closed["state"] == StateName.OPEN:
        print(f"run {name} finishes when its targets are done: {left:,} left")
    else:
        print(f"run {name} is {closed['state']}")


def _closed_here(db: str | None, name: str) -> dict[str, Any]:
    from swather.cli import database
    from swather.runs.run_names import find_run

    with database.opened(db) as store:
        run = find_run(store, name)
        store.runs.close(run.name)
        store.hints.send()
        return {
            "run": run.name,
            "was_kept_open": run.keep_open,
            "state": str(store.runs.get(run.name).state),
            "unfinished": store.runs.counts(run.name).unfinished,
        }


def _closed_there(server: str, name: str) -> dict[str, Any]:
    from swather.cli.remote import client_of

    return client_of(server).runs.close(name)


@command_in(
    group,
    "rm",
    """\
swather runs rm 20260215_120000-books
swather runs rm 20260215_120000-books 20260216_120000-books --yes""",
)
def remove_runs(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN", help="The runs' names; a scraper's means its newest run."),
    ],
    yes: Yes = False,
    dry_run: DryRun = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Remove runs with everything that belongs to them.

    Removes their tasks, items, events and errors from the database; results files stay. An open
    run must be cancelled first.
    """
    from swather.cli import database, output
    from swather.model.run import RunState
    from swather.runs.run_names import find_run
    from swather.runs.words import count

    with database.opened(db) as store:
        found = [find_run(store, name) for name in runs]
        for run in found:
            if run.state is RunState.OPEN:
                again = database.with_db(f"swather cancel {run.name}", db)
                raise InputError(f"run {run.name!r} is still open; cancel it first: {again}")
        tasks = {run.name: store.runs.counts(run.name).total for run in found}
        if not dry_run:
            what = f"{', '.join(tasks)} with {count(sum(tasks.values()), 'task')}"
            confirm(f"Remove {what}?", yes=yes)
            for name in tasks:
                store.runs.remove(name)
    if as_json:
        removed = {"runs": len(tasks), "tasks": sum(tasks.values())}
        output.print_json({"removed": removed, "runs": list(tasks), "dry_run": dry_run})
        return
    for name, number in tasks.items():
        said = "would be removed" if dry_run else "removed"
        print(f"run {name}: {said}, {count(number, 'task')}")


@command_in(
    group,
    "prune",
    """\
swather runs prune --older-than 30d
swather runs prune --older-than 90d --dry-run
swather settings set keep_runs_days 30 && swather runs prune""",
)
def prune_runs(
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than",
            metavar="TIME",
            help="Runs that ended longer ago: 12h, 30d. By default the setting keep_runs_days.",
        ),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Remove old data.

    Removes ended runs with everything that belongs to them, and events, stored pages, memories of
    scrapers, health of proxies on sites and worker rows that have expired. Open runs are never
    removed. With the setting keep_runs_days, workers remove old runs on their own, a little at a
    time; this does it now. The space is kept for new rows: `swather db vacuum` gives it back.
    """
    from swather.cli import database, output
    from swather.runs.run_names import MAX_RUNS_SEEN
    from swather.runs.words import count

    with database.opened(db) as store:
        before = _ended_before(store, older_than, db)
        old = [
            run.name
            for run in store.runs.find(limit=MAX_RUNS_SEEN)
            if run.finished_at is not None and run.finished_at < before
        ]
        if dry_run:
            removed = {"runs": len(old)}
        else:
            confirm(f"Remove {count(len(old), 'run')}?", yes=yes or not old)
            removed = store.upkeep.prune(runs_ended_before=before)
    if as_json:
        output.print_json({"removed": removed, "runs": old, "dry_run": dry_run})
        return
    if dry_run:
        for name in old:
            print(f"run {name} would be removed")
        print(f"{count(len(old), 'run')} that ended before {before.astimezone():%F %T}")
        return
    print(", ".join(f"{number:,} {name}" for name, number in removed.items()) + " removed")


def _ended_before(store: Any, older_than: str | None, db: str | None) -> datetime:
    from swather.cli import database

    if older_than is not None:
        seconds = seconds_of(older_than, option="--older-than")
    elif (days := store.settings.all().get("keep_runs_days")) is not None:
        seconds = days * 86_400
    else:
        keep = database.with_db("swather settings set keep_runs_days 30", db)
        raise InputError(f"pass --older-than 30d, or set how long runs are kept: {keep}")
    return datetime.now(UTC) - timedelta(seconds=seconds)
