"""`swather settings unset`."""

from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather settings unset concurrency"""


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The setting's name.")],
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Take a setting out of the database.

    What the files, the decorator or the default say holds again.
    """
    from swather import settings
    from swather.cli import database, output

    known = settings.canonical(name)
    with database.opened(db) as store:
        was_there = known in store.settings.all()
        store.settings.unset(known)
        store.hints.send()
    if as_json:
        output.print_json({"name": known, "was_set": was_there})
        return
    print(f"{known} is no longer set" if was_there else f"{known} was not set")
