"""`swather db init`."""

from typing import Final

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db init
swather db init --db sqlite:////var/lib/swather/queue.db
swather db init --db postgresql://me@localhost/queue"""


def command(db: Database = None, as_json: AsJSON = False) -> None:
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
