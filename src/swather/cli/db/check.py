"""`swather db check`."""

from typing import Final

from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db check
swather db check --db postgresql://me@localhost/queue && echo sound"""


def command(db: Database = None, as_json: AsJSON = False) -> int:
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
