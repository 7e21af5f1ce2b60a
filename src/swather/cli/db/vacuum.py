"""`swather db vacuum`."""

from typing import Final

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db vacuum
swather db vacuum --db postgresql://me@localhost/queue"""

WORDS: Final = {"bytes_before": "size before", "bytes_after": "size after"}


def command(db: Database = None, as_json: AsJSON = False) -> None:
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
    output.show(output.facts(output.readable(done, WORDS)))
