"""`swather db migrate`."""

from pathlib import Path
from typing import Final

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db migrate
swather db migrate --db postgresql://me@localhost/queue"""


def command(db: Database = None, as_json: AsJSON = False) -> None:
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
