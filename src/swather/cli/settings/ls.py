"""`swather settings ls`."""

from typing import Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather settings ls
swather settings ls --scraper books.py --json"""


def command(
    scraper: Annotated[
        str | None,
        typer.Option(
            "--scraper", metavar="SCRAPER", help="As they hold for this one: file.py, say."
        ),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List settings, and where each comes from."""
    from swather.cli import output
    from swather.cli.settings.in_force import in_force

    rows = in_force(db, scraper)
    if as_json:
        output.print_json(
            {row.name: {"value": row.value, "origin": row.origin, "what": row.what} for row in rows}
        )
        return
    shown = [(row.name, _shown(row.value), row.origin, row.what) for row in rows]
    output.show(output.listing(("setting", "value", "from", "what"), shown))


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)
