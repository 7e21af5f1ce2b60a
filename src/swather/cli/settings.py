"""`swather settings …`: the settings that apply, and where each comes from."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, DatabaseToChange

if TYPE_CHECKING:
    from swather.runs.settings_in_force import InForce

EXAMPLES: Final = """\
swather settings
swather settings ls --scraper books.py
swather settings set concurrency 50
swather settings unset concurrency"""

Name = Annotated[str, typer.Argument(metavar="NAME", help="The setting's name.")]

group = listing_group(EXAMPLES)


@group.callback()
def settings(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """Show and change settings.

    The first place that names a setting wins: an option of the command, the environment
    (SWATHER_NAME), the file .env, the settings row of the database, swather.toml or [tool.swather]
    in pyproject.toml (there the scraper's own table first, [scrapers.NAME]), the scraper's
    decorator, the default. Without a command, lists them.
    """
    list_unless_called(ctx, list_settings, db, as_json=as_json)


@command_in(
    group,
    "ls",
    """\
swather settings ls
swather settings ls --scraper books.py --json""",
)
def list_settings(
    scraper: Annotated[
        str | None,
        typer.Option(
            "--scraper",
            metavar="SCRAPER",
            help="The settings as they apply to this scraper, e.g. file.py.",
        ),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List settings, and where each comes from."""
    from swather.cli import output

    rows = _in_force(db, scraper)
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


@command_in(
    group,
    "get",
    """\
swather settings get concurrency
swather settings get timeout --scraper books.py""",
)
def get_setting(
    name: Name,
    scraper: Annotated[
        str | None,
        typer.Option(
            "--scraper",
            metavar="SCRAPER",
            help="The setting as it applies to this scraper, e.g. file.py.",
        ),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show one setting."""
    from swather import settings_sources
    from swather.cli import output
    from swather.errors import BadSetting

    wanted = settings_sources.canonical(name)
    found = next((row for row in _in_force(db, scraper) if row.name == wanted), None)
    if found is None:
        raise BadSetting(f"{wanted} can only be set in swather.toml: [{wanted}.NAME]")
    if as_json:
        output.print_json({"name": wanted, "value": found.value, "origin": found.origin})
        return
    print("" if found.value is None else found.value)


@command_in(
    group,
    "set",
    """\
swather settings set concurrency 50
swather settings set event_level all""",
)
def set_setting(
    name: Name,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Its value.")],
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Keep a setting in the database.

    It goes to the settings row, which everyone on this database reads. An option, the environment
    and .env override it.
    """
    from swather import settings_sources
    from swather.cli import database, output

    known = settings_sources.canonical(name)
    kept = settings_sources.checked(known, value)
    with database.opened(db) as store:
        store.settings.set(known, kept)
        store.hints.send()
    if as_json:
        output.print_json({"name": known, "value": kept})
        return
    print(f"{known} is {kept} for everyone on {database.shown(db)}")


@command_in(group, "unset", "swather settings unset concurrency")
def unset_setting(name: Name, db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Remove a setting from the database.

    The value of the files, the decorator or the default applies again.
    """
    from swather import settings_sources
    from swather.cli import database, output

    known = settings_sources.canonical(name)
    with database.opened(db) as store:
        was_there = known in store.settings.all()
        store.settings.unset(known)
        store.hints.send()
    if as_json:
        output.print_json({"name": known, "was_set": was_there})
        return
    print(f"{known} is no longer set" if was_there else f"{known} was not set")


def _in_force(db: str | None, spec: str | None) -> "list[InForce]":
    """A database that does not exist yet has no settings row."""
    from swather.runs import configuration
    from swather.runs.settings_in_force import settings_in_force
    from swather.scraping import registry

    scraper = None if spec is None else registry.load(spec)
    # The option is also filled from the environment and from files, which are the origin then.
    is_from_there = db is None or configuration.resolve(scraper=scraper).settings.db == db
    named = {} if is_from_there else {"db": db}
    row = _row_in(configuration.resolve(None, named, scraper).settings.db)
    return settings_in_force(named, row, scraper)


def _row_in(url: str) -> dict[str, Any]:
    from swather.cli import database
    from swather.store import factory

    path = factory.sqlite_path(url)
    if path is not None and not path.exists():
        return {}
    with database.opened(url) as store:
        return store.settings.all()
