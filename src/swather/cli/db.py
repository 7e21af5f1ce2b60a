"""`swather db …`: create, look at and look after a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Annotated, Final

import typer

from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.group import command_in, group_of_commands
from swather.cli.options import AsJSON, Database

RECENT_RUNS: Final = 10

group = group_of_commands("Create, look at and look after a database.")


@command_in(
    group,
    "init",
    """\
swather db init
swather db init --db sqlite:////var/lib/swather/queue.db
swather db init --db postgresql://me@localhost/queue""",
)
def create_tables(db: Database = None, as_json: AsJSON = False) -> None:
    """Create the tables.

    A SQLite file is made if there is none; a PostgreSQL database must exist, the tables go into
    its schema "swather". Tables of an earlier release are migrated. Safe to repeat.
    """
    from swather.cli import database, output
    from swather.store import factory

    applied = factory.prepare(db or factory.DEFAULT_URL)
    if as_json:
        output.print_json({"database": database.shown(db), "applied": applied})
    elif applied:
        print(f"{database.shown(db)} is ready (applied {', '.join(applied)})")
    else:
        print(f"{database.shown(db)} was ready already; nothing to do")


@command_in(
    group,
    "migrate",
    """\
swather db migrate
swather db migrate --db postgresql://me@localhost/queue""",
)
def migrate(db: Database = None, as_json: AsJSON = False) -> None:
    """Bring the tables up to this release.

    Says which migrations were applied. A SQLite file is copied first, next to itself; copy a
    PostgreSQL database yourself (swather db backup).
    """
    from swather.cli import database, output
    from swather.store import factory

    url = database.existing(db)
    path = factory.sqlite_path(url)
    before = _copies_beside(path)
    applied = factory.prepare(url)
    copies = sorted(_copies_beside(path) - before)
    if as_json:
        output.print_json({"database": database.shown(db), "applied": applied, "backups": copies})
        return
    if not applied:
        print(f"{database.shown(db)} is up to date; nothing to do")
    for name in applied:
        print(f"applied {name}")
    for copy in copies:
        print(f"the database as it was before is kept in {copy}")


def _copies_beside(path: Path | None) -> set[str]:
    return (
        set() if path is None else {str(copy) for copy in path.parent.glob(f"{path.name}.v*.bak")}
    )


@command_in(
    group,
    "backup",
    """\
swather db backup queue-backup.db
swather db backup /backups/queue.dump --db postgresql://me@localhost/queue""",
)
def back_up(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The file to write; it must not exist yet.")
    ],
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Copy the database while others work.

    The copy shows one moment in time. A copy of SQLite is a database like the original: open it
    with --db. A copy of PostgreSQL is made by pg_dump for pg_restore. No file is overwritten.
    """
    from swather.cli import database, output

    with database.opened(db) as store:
        started = monotonic()
        with _growing(path):
            store.upkeep.backup(path)
        seconds = monotonic() - started
    size = path.stat().st_size
    if as_json:
        output.print_json(
            {
                "database": database.shown(db),
                "backup": str(path),
                "bytes": size,
                "seconds": round(seconds, 3),
            }
        )
        return
    print(f"copied {database.shown(db)} to {path}: {output.size(size)} in {seconds:.1f} s")


@contextmanager
def _growing(path: Path) -> Iterator[None]:
    """Show on a terminal how large the copy is by now."""
    from swather.cli import output
    from swather.runs.console import plain

    console = output.stderr()
    if not console.is_terminal:
        yield
        return
    done = Event()
    with console.status(plain(f"copying to {path}")) as status:

        def watch() -> None:
            while not done.wait(0.2):
                written = path.stat().st_size if path.exists() else 0
                status.update(plain(f"copying to {path}: {output.size(written)}"))

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()


STATS_WORDS: Final = {
    "file_bytes": "file",
    "wal_bytes": "write-ahead log",
    "database_bytes": "whole database",
    "swather_bytes": "swather's tables",
    "oldest_snapshot_seconds": "oldest snapshot (s)",
}


@command_in(
    group,
    "stats",
    """\
swather db stats
swather db stats --db postgresql://me@localhost/queue
swather db stats --json | jq .tasks.ready""",
)
def show_stats(db: Database = None, as_json: AsJSON = False) -> None:
    """Count runs, tasks, workers and bytes.

    Tasks are counted by state over all runs, and for each of the newest runs. The counts come from
    counter rows, so that ten million tasks cost no more than ten.
    """
    from swather.cli import database, output

    with database.opened(db) as store:
        stats = store.upkeep.stats()
        runs = [(run, store.runs.counts(run.name)) for run in store.runs.find(limit=RECENT_RUNS)]
    recent = [
        {
            "run": run.name,
            "state": str(run.state),
            "waiting": counts.waiting,
            "leased": counts.leased,
            "completed": counts.completed,
            "failed": counts.failed,
            "cancelled": counts.cancelled,
            "items": counts.items,
        }
        for run, counts in runs
    ]
    stats["database"] = database.shown(db)
    stats["tasks"] = _every_state(stats.get("tasks", {}))
    if as_json:
        output.print_json({**stats, "recent_runs": recent})
        return
    tables = [
        output.facts(output.readable(stats, STATS_WORDS)),
        output.listing(("tasks", "count"), stats["tasks"].items()),
    ]
    if recent:
        tables.append(output.listing(tuple(recent[0]), [tuple(row.values()) for row in recent]))
    output.show(*tables)


def _every_state(tasks: dict[str, int]) -> dict[str, int]:
    from swather.model.task import State

    return {str(state): tasks.get(state, 0) for state in State}


@command_in(
    group,
    "pragmas",
    """\
swather db pragmas
swather db pragmas --json --db postgresql://me@localhost/queue""",
)
def show_pragmas(db: Database = None, as_json: AsJSON = False) -> None:
    """Show the settings in force, and why.

    The database settings that durability and speed depend on, as they hold for a connection of
    Swather's, each with the reason it is set so.
    """
    from swather.cli import database, output
    from swather.cli.pragma_reasons import reason_for

    with database.opened(db) as store:
        pragmas = store.upkeep.pragmas()
    rows = [(name, value, reason_for(name)) for name, value in pragmas.items()]
    if as_json:
        output.print_json(
            {name: {"value": value, "why": why} for name, value, why in rows},
        )
        return
    output.show(output.listing(("setting", "value", "why"), [(n, str(v), w) for n, v, w in rows]))


LOG_WORDS: Final = {
    "pages": "pages in the log",
    "moved": "of them moved",
    "wal_bytes": "log now",
    "position": "position in the log",
    "bytes_written": "log written so far",
}


@command_in(
    group,
    "wal",
    """\
swather db wal
swather db wal --json""",
)
def checkpoint_log(db: Database = None, as_json: AsJSON = False) -> None:
    """Checkpoint the write-ahead log.

    Moves what was committed from the log into the database itself and says how large the log is
    then. Workers do this by themselves; a log that stays large has a reader that never ends.
    """
    from swather.cli import database, output

    with database.opened(db) as store:
        done = store.upkeep.checkpoint_wal()
    if as_json:
        output.print_json({"database": database.shown(db), **done})
        return
    output.show(output.facts(output.readable(done, LOG_WORDS)))


VACUUM_WORDS: Final = {"bytes_before": "size before", "bytes_after": "size after"}


@command_in(
    group,
    "vacuum",
    """\
swather db vacuum
swather db vacuum --db postgresql://me@localhost/queue""",
)
def vacuum(db: Database = None, as_json: AsJSON = False) -> None:
    """Give back the space of deleted rows.

    Also refreshes the statistics that queries are planned by. SQLite writes the file anew: others
    wait meanwhile, and the disk needs room for a second copy. PostgreSQL lets others work on.
    """
    from swather.cli import database, output

    with database.opened(db) as store, output.stderr().status("vacuuming"):
        done = store.upkeep.vacuum()
    if as_json:
        output.print_json({"database": database.shown(db), **done})
        return
    output.show(output.facts(output.readable(done, VACUUM_WORDS)))


@command_in(
    group,
    "check",
    """\
swather db check
swather db check --db postgresql://me@localhost/queue && echo sound""",
)
def check(db: Database = None, as_json: AsJSON = False) -> int:
    """Look for damage and for lost tasks.

    Asks the database to check itself, and the queue whether every task is in exactly one state and
    the counters add up. Exits with 1 and a line for each finding, or with 0 when all is well.
    """
    from swather.cli import database, output

    with database.opened(db) as store, output.stderr().status("checking"):
        wrong = store.upkeep.check()
    if as_json:
        output.print_json({"database": database.shown(db), "ok": not wrong, "wrong": wrong})
    elif wrong:
        for line in wrong:
            print(line)
    else:
        print(f"{database.shown(db)}: all is well")
    return FINISHED_WITH_FAILURES if wrong else 0
