"""`swather db pragmas`."""

from typing import Final

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db pragmas
swather db pragmas --json --db postgresql://me@localhost/queue"""


def command(db: Database = None, as_json: AsJSON = False) -> None:
    """Show the settings in force, and why.

    The database settings that durability and speed depend on, as they hold for a connection of
    Swather's, each with the reason it is set so.
    """
    from swather.cli import database, output
    from swather.cli.db.reasons import reason_for

    with database.opened(db) as store:
        pragmas = store.upkeep.pragmas()
    rows = [(name, value, reason_for(name)) for name, value in pragmas.items()]
    if as_json:
        output.print_json(
            {name: {"value": value, "why": why} for name, value, why in rows},
        )
        return
    output.show(output.listing(("setting", "value", "why"), [(n, str(v), w) for n, v, w in rows]))
