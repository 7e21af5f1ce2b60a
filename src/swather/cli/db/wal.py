"""`swather db wal`."""

from typing import Final

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db wal
swather db wal --json"""

WORDS: Final = {
    "pages": "pages in the log",
    "moved": "of them moved",
    "wal_bytes": "log now",
    "position": "position in the log",
    "bytes_written": "log written so far",
}


def command(db: Database = None, as_json: AsJSON = False) -> None:
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
    output.show(output.facts(output.readable(done, WORDS)))
