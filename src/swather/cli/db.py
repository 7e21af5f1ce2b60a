"""`swather db …`: create, inspect and maintain a database."""

from pathlib import Path
from typing import Final

from swather.cli.db_copies import BACKUP_EXAMPLES, RESTORE_EXAMPLES, back_up, restore
from swather.cli.db_vacuum import EXAMPLES as VACUUM_EXAMPLES
from swather.cli.db_vacuum import vacuum
from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.group import command_in, group_of_commands
from swather.cli.options import AsJSON, Database, DatabaseToChange

group = group_of_commands("Create, inspect and maintain a database.")


@command_in(
    group,
    "init",
    """\
swather db init
swather db init --db sqlite:////var/lib/swather/queue.db
swather db init --db postgresql://me@localhost/queue""",
)
def create_tables(db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Create the tables.

    Creates a SQLite file if there is none. A PostgreSQL database must exist; the tables go into
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
        print(f"{database.shown(db)} is already up to date")


@command_in(
    group,
    "migrate",
    """\
swather db migrate
swather db migrate --db postgresql://me@localhost/queue""",
)
def migrate(db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Bring the tables up to this release.

    Lists the migrations that were applied. A SQLite file is copied first, next to itself; back
    up a PostgreSQL database yourself (swather db backup).
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
        print(f"{database.shown(db)} is already up to date")
    for name in applied:
        print(f"applied {name}")
    for copy in copies:
        print(f"the previous database is kept in {copy}")


def _copies_beside(path: Path | None) -> set[str]:
    return (
        set() if path is None else {str(copy) for copy in path.parent.glob(f"{path.name}.v*.bak")}
    )


command_in(group, "backup", BACKUP_EXAMPLES)(back_up)
command_in(group, "restore", RESTORE_EXAMPLES)(restore)


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

    Counts tasks by state, over all runs and for each of the newest runs. The counts come from
    counter rows, so ten million tasks cost no more than ten.
    """
    from swather.cli import database, output
    from swather.runs.database_facts import stats_of

    with database.opened(db) as store:
        stats = {**stats_of(store), "database": database.shown(db)}
    if as_json:
        output.print_json(stats)
        return
    recent = stats.pop("recent_runs")
    tables = [
        output.facts(output.readable(stats, STATS_WORDS)),
        output.listing(("tasks", "count"), stats["tasks"].items()),
    ]
    if recent:
        tables.append(output.listing(tuple(recent[0]), [tuple(row.values()) for row in recent]))
    output.show(*tables)


@command_in(
    group,
    "pragmas",
    """\
swather db pragmas
swather db pragmas --json --db postgresql://me@localhost/queue""",
)
def show_pragmas(db: Database = None, as_json: AsJSON = False) -> None:
    """Show the database's settings, and why.

    Shows the settings that durability and speed depend on, as Swather's connections see them,
    each with its reason.
    """
    from swather.cli import database, output
    from swather.runs.database_facts import pragmas_of

    with database.opened(db) as store:
        pragmas = pragmas_of(store)
    if as_json:
        output.print_json(pragmas)
        return
    rows = [(name, str(each["value"]), each["why"]) for name, each in pragmas.items()]
    output.show(output.listing(("setting", "value", "why"), rows))


LOG_WORDS: Final = {
    "pages": "pages in the log",
    "moved": "pages moved",
    "wal_bytes": "log size",
    "position": "position in the log",
    "bytes_written": "log written in total",
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

    Moves what was committed from the log into the database, and shows how large the log is then.
    Workers do this on their own. If the log stays large, a reader never ends.
    """
    from swather.cli import database, output

    with database.opened(db) as store:
        done = store.upkeep.checkpoint_wal()
    if as_json:
        output.print_json({"database": database.shown(db), **done})
        return
    output.show(output.facts(output.readable(done, LOG_WORDS)))


command_in(group, "vacuum", VACUUM_EXAMPLES)(vacuum)


@command_in(
    group,
    "check",
    """\
swather db check
swather db check --db postgresql://me@localhost/queue && echo sound""",
)
def check(db: Database = None, as_json: AsJSON = False) -> int:
    """Look for damage and for lost tasks.

    Asks the database to check itself, and checks that every task is in exactly one state and that
    the counters add up. Prints a line for each problem and exits with 1 if there are any.
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
        print(f"{database.shown(db)}: no problems found")
    return FINISHED_WITH_FAILURES if wrong else 0
