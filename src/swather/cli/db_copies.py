"""`swather db backup` and `restore`: a database copied to a file, and back."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.confirm import Yes
from swather.cli.options import AsJSON, Database, DatabaseToChange
from swather.errors import DatabaseDamaged, InputError, SchemaMissing, SchemaTooNew, SchemaTooOld

if TYPE_CHECKING:
    from swather.store.ports import Store

BACKUP_EXAMPLES: Final = """\
swather db backup queue-backup.db
swather db backup /backups/queue.dump --db postgresql://me@localhost/queue"""
RESTORE_EXAMPLES: Final = """\
swather db restore queue-backup.db --db sqlite:///queue.db
swather db restore /backups/queue.dump --yes --db postgresql://me@localhost/queue"""


def back_up(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The file to write; it must not exist yet.")
    ],
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Copy the database to a file while others work.

    The copy shows one moment in time. A copy of SQLite is a database like the original: open it
    with --db. A copy of PostgreSQL is made by pg_dump. `swather db restore` reads both. An
    existing file is never overwritten. The copy holds all that the database holds, including the
    passwords of proxies; only you can read it.
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


def restore(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A file that `swather db backup` wrote.")
    ],
    yes: Yes = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Replace the database with a backup.

    All runs, tasks, items and settings become those of the backup. It happens in one transaction:
    if the restore is killed or the disk fills up, the database stays as it was. A database that
    has runs is replaced only with --yes, and never while workers are alive. Tables of an earlier
    release are migrated afterwards. PostgreSQL needs pg_restore and psql, and an existing
    database. A damaged SQLite file is renamed, not deleted.
    """
    from swather.cli import database, output
    from swather.cli.confirm import confirm
    from swather.runs.console import plain
    from swather.runs.words import count
    from swather.store import factory

    url = db or factory.DEFAULT_URL
    if not path.is_file():
        raise InputError(f"there is no backup {path}")
    there = _what_is_there(url)
    if there is not None:
        confirm(f"Replace {there} in {database.shown(db)} with {path}?", yes=yes)
    started = monotonic()
    with output.stderr().status("restoring") as status:
        restored = factory.restore(url, path)
        for done in restored.steps:
            status.update(plain(f"restoring: {output.size(done)}"))
        applied = factory.prepare(url)
    seconds = monotonic() - started
    with database.opened(db) as store:
        stats = store.upkeep.stats()
    tasks = sum(stats["tasks"].values())
    if as_json:
        output.print_json(
            {
                "database": database.shown(db),
                "backup": str(path),
                "runs": stats["runs"],
                "tasks": tasks,
                "applied": applied,
                "damaged": None if restored.aside is None else str(restored.aside),
                "seconds": round(seconds, 3),
            }
        )
        return
    if restored.aside is not None:
        print(f"the damaged file is kept in {restored.aside}")
    what = f"{count(stats['runs'], 'run')} with {count(tasks, 'task')}"
    print(f"restored {database.shown(db)} from {path}: {what} in {seconds:.1f} s")
    for name in applied:
        print(f"applied {name}")


def _what_is_there(url: str) -> str | None:
    """What a restore would replace, in words; refuses while workers are alive."""
    from swather.runs.words import count
    from swather.store import factory

    sqlite = factory.sqlite_path(url)
    if sqlite is not None and not sqlite.exists():
        return None
    try:
        store = factory.open(url)
    except SchemaMissing:
        return None
    except (SchemaTooOld, SchemaTooNew):
        return "the tables of another release"
    except DatabaseDamaged:
        return "the damaged file"
    with closing(store):
        _refuse_while_at_work(store)
        runs = store.upkeep.stats()["runs"]
    return count(runs, "run") if runs else None


def _refuse_while_at_work(store: "Store") -> None:
    # Those that were killed are still listed until somebody looks.
    store.workers.sweep()
    if alive := store.workers.find():
        names = ", ".join(worker.name for worker in alive[:3])
        more = f" and {len(alive) - 3} more" if len(alive) > 3 else ""
        raise InputError(
            f"{names}{more} still use this database; stop them first. One that was killed on "
            "another machine is dropped when its lease ends, after a minute by default"
        )


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
