"""`swather settings …`: the settings that apply, and where each comes from."""

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database

if TYPE_CHECKING:
    from swather.scraping.options import Options
    from swather.settings_sources import Resolved

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
    db: Database = None,
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
def unset_setting(name: Name, db: Database = None, as_json: AsJSON = False) -> None:
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


class _InForce(NamedTuple):
    """A setting: its value, where that comes from, what it is."""

    name: str
    value: Any
    origin: str
    what: str


def _in_force(db: str | None, spec: str | None) -> list[_InForce]:
    """Every setting; with a scraper, those of its decorator too. A database that does not exist yet
    has no settings row.
    """
    from swather import settings_sources
    from swather.scraping import registry
    from swather.scraping.options import Options
    from swather.scraping.registered import registered

    scraper = None if spec is None else registry.load(spec)
    options = Options() if scraper is None else scraper.options
    # The option is also filled from the environment and from files, which are the origin then.
    named = {} if db is None or settings_sources.read().settings.db == db else {"db": db}
    known = None if scraper is None else registered().get(scraper.name)
    resolved = settings_sources.read(
        named,
        row=_row_in(settings_sources.read(named).settings.db),
        of_scraper=None if known is None else known.settings,
    )
    return [
        _one(name, what, resolved, options)
        for name, what, _others in settings_sources.described()
        if name != "params"
    ]


def _row_in(url: str) -> dict[str, Any]:
    from swather.cli import database
    from swather.store import factory

    path = factory.sqlite_path(url)
    if path is not None and not path.exists():
        return {}
    with database.opened(url) as store:
        return store.settings.all()


def _one(name: str, what: str, resolved: "Resolved", options: "Options") -> _InForce:
    from swather.masking import HIDDEN, masked_database
    from swather.scraping.options import Options
    from swather.settings import DELAYS, OF_SCRAPERS
    from swather.settings_notices import SECRETS

    value, origin = getattr(resolved.settings, name), resolved.origin(name)
    if name == "db":
        return _InForce(name, masked_database(value), origin, what)
    if name in SECRETS and value is not None:
        return _InForce(name, HIDDEN, origin, what)
    if value is None and name in OF_SCRAPERS:
        value = getattr(options, name)
        origin = _said_by(value, getattr(Options(), name))
    elif value is None and name in DELAYS:
        delay = options.delay_range()
        value = None if delay is None else delay[DELAYS.index(name)]
        origin = _said_by(delay, None)
    return _InForce(name, _plain(value), origin, what)


def _said_by(value: Any, default: Any) -> str:
    from swather.settings_sources import DECORATOR, DEFAULT

    return DEFAULT if value == default else DECORATOR


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
