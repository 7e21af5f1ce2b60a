"""`swather settings get`."""

from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather settings get concurrency
swather settings get timeout --scraper books.py"""


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The setting's name.")],
    scraper: Annotated[
        str | None,
        typer.Option(
            "--scraper", metavar="SCRAPER", help="As it holds for this one: file.py, say."
        ),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show one setting."""
    from swather import settings
    from swather.cli import output
    from swather.cli.settings.in_force import in_force
    from swather.errors import BadSetting

    wanted = settings.canonical(name)
    found = next((row for row in in_force(db, scraper) if row.name == wanted), None)
    if found is None:
        raise BadSetting(f"{wanted} is only in swather.toml: [{wanted}.NAME]")
    if as_json:
        output.print_json({"name": wanted, "value": found.value, "origin": found.origin})
        return
    print("" if found.value is None else found.value)
