"""`swather db backup PATH`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db backup queue-backup.db
swather db backup /backups/queue.dump --db postgresql://me@localhost/queue"""


def command(
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
