"""`swather settings set`."""

from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather settings set concurrency 50
swather settings set event_level all"""


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The setting's name.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Its value.")],
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Keep a setting in the database.

    In the settings row, where everyone on this database finds it; an option, the environment and
    .env go before it.
    """
    from swather import settings
    from swather.cli import database, output

    known = settings.canonical(name)
    kept = settings.checked(known, value)
    with database.opened(db) as store:
        store.settings.set(known, kept)
        store.hints.send()
    if as_json:
        output.print_json({"name": known, "value": kept})
        return
    print(f"{known} is {kept} for everyone on {database.shown(db)}")
