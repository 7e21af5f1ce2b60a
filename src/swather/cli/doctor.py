"""`swather doctor`: whether everything that Swather needs is here and works."""

from typing import Final

from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather doctor
swather doctor --db postgresql://me@localhost/queue
swather doctor --json"""


def command(db: Database = None, as_json: AsJSON = False) -> int:
    """Check this machine and the database.

    Checks Python, SQLite, the database and its tables, the disk and its file system, the bucket for
    files, the settings and optional packages, proxies, Tor, Chromium, and where metrics and traces
    go. The exit code is 1 if there is a problem that prevents work.
    """
    from swather.cli import output
    from swather.cli.doctor_checks import checks
    from swather.runs.health import Health

    found = checks(db)
    if as_json:
        output.print_json([check._asdict() for check in found])
    else:
        rows = [(str(check.health), check.what, check.said) for check in found]
        output.show(output.listing(("", "what", "found"), rows))
    sick = any(check.health is Health.PROBLEM for check in found)
    return FINISHED_WITH_FAILURES if sick else 0
