"""`swather schedules …`: runs that start by themselves."""

import logging
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.arguments import Parameters
from swather.cli.confirm import Yes, confirm
from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, DatabaseToChange

if TYPE_CHECKING:
    from swather.model.schedule import Schedule

EXAMPLES: Final = """\
swather schedules
swather schedules add books "0 2 * * *" https://example.com/new --timezone Europe/Berlin
swather schedules show books
swather schedules fire books
swather schedules run"""

Name = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name.")]

group = listing_group(EXAMPLES)


@group.callback()
def schedules(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """Start runs by the clock: every night, every hour.

    A schedule belongs to a registered scraper. Each `swather worker --forever`, each supervisor and
    `swather schedules run` fires what is due: a run, loaded with its targets, once, however many of
    them there are. Schedules of swather.toml are stored by each of them when it starts. Without a
    command: the list.
    """
    list_unless_called(ctx, list_schedules, db, as_json=as_json)


@command_in(group, "ls", "swather schedules ls\nswather schedules ls --json")
def list_schedules(db: Database = None, as_json: AsJSON = False) -> None:
    """List schedules, when each is due next and what became of the last time."""
    from swather.cli import database, output
    from swather.runs import schedule_facts

    with database.opened(db) as store:
        found = store.schedules.find()
        last = [store.schedules.firings(schedule.name, limit=1) for schedule in found]
    if as_json:
        rows = zip(found, last, strict=True)
        output.print_json([schedule_facts.data_of(each, firings) for each, firings in rows])
        return
    if not found:
        example = database.with_db('swather schedules add books "0 2 * * *" URL', db)
        print(f"there are no schedules; to add one: {example}")
        return
    output.show(output.listing(*schedule_facts.table_of(found, last)))
    for line in schedule_facts.waiting(found):
        print(line)


@command_in(group, "show", "swather schedules show books\nswather schedules show books --json")
def show_schedule(
    schedule: Name,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N due times.")] = 20,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show a schedule, the next times it is due, and what became of the last ones."""
    from swather.cli import database, output
    from swather.runs import schedule_facts

    with database.opened(db) as store:
        found = store.schedules.get(schedule)
        firings = store.schedules.firings(schedule, limit=limit)
    if as_json:
        output.print_json(schedule_facts.data_of(found, firings))
        return
    output.show(output.facts(schedule_facts.facts_of(found)))
    print()
    if firings:
        output.show(output.listing(*schedule_facts.firings_table(firings, found.timezone)))
    else:
        print("It has not been due yet.")
    for line in schedule_facts.waiting([found]):
        print(line)


@command_in(
    group,
    "add",
    """\
swather schedules add books "0 2 * * *"
swather schedules add books "0 2 * * *" https://example.com/new --timezone Europe/Berlin
swather schedules add books "*/15 * * * *" --overlap queue --name quarterly -p pages=3
swather schedules add books @daily""",
)
def add_schedule(
    scraper: Annotated[
        str, typer.Argument(metavar="SCRAPER", help="The name of a registered scraper.")
    ],
    cron: Annotated[
        str,
        typer.Argument(
            metavar="CRON",
            help="When: minute, hour, day of the month, month, day of the week; or @hourly, "
            "@daily, @weekly, @monthly.",
        ),
    ],
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGET",
            help="What each run scrapes. Default: the file that the scraper is registered with.",
        ),
    ] = None,
    timezone: Annotated[
        str, typer.Option("--timezone", metavar="ZONE", help="Whose clock: Europe/Berlin.")
    ] = "UTC",
    overlap: Annotated[
        str,
        typer.Option(
            "--overlap",
            metavar="skip|queue|both",
            help="If the run before is still open: leave this time out, wait for it, or run both.",
        ),
    ] = "skip",
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Its name. Default: the scraper's."),
    ] = None,
    params: Parameters = None,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Add a schedule.

    A file of targets belongs into swather.toml, next to the scraper, since each machine has its
    own files: [scrapers.books] targets = "cities.csv".
    """
    from swather.cli import database, output
    from swather.model.schedule import NewSchedule, checked, next_time, overlap_of
    from swather.runs import schedule_facts
    from swather.scraping.registered import registered

    new = checked(
        NewSchedule(
            name=name or scraper,
            scraper=scraper,
            cron=cron,
            timezone=timezone,
            overlap=overlap_of(overlap),
            params=_named(params or []),
            targets=tuple(targets or ()),
        )
    )
    note = schedule_facts.unready(new, registered().get(scraper))
    with database.opened(db) as store:
        added = store.schedules.add(new, next_time(cron, timezone, store.schedules.now()))
        store.hints.send()
    if note:
        typer.echo(f"note: {note}", err=True)
    if as_json:
        output.print_json(schedule_facts.data_of(added, []))
        return
    print(f"Added {added.name}: {schedule_facts.when(added)}")
    print(schedule_facts.WHO_FIRES)


@command_in(group, "rm", "swather schedules rm books\nswather schedules rm books --yes")
def remove_schedule(
    schedule: Name, yes: Yes = False, db: DatabaseToChange = None, as_json: AsJSON = False
) -> None:
    """Remove a schedule. Its runs stay."""
    from swather.cli import database, output

    with database.opened(db) as store:
        found = store.schedules.get(schedule)
        confirm(f"Remove schedule {schedule}?", yes=yes)
        store.schedules.remove(schedule)
    if as_json:
        output.print_json({"removed": schedule})
        return
    print(f"Removed {schedule}")
    if found.origin:
        print(f"It is stored again when a process starts that has {found.origin}")


@command_in(group, "enable", "swather schedules enable books")
def enable_schedule(schedule: Name, db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Let a disabled schedule be due again, from its next time on."""
    from swather.cli import database
    from swather.model.schedule import next_time

    with database.opened(db) as store:
        found = store.schedules.get(schedule)
        if not found.enabled:
            store.schedules.enable(schedule, next_time(found.cron, found.timezone, found.now))
        _tell(store.schedules.get(schedule), as_json=as_json)


@command_in(group, "fire", "swather schedules fire books")
def fire_schedule(schedule: Name, db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Start the run of a schedule now instead of at its next time."""
    from swather.cli import database, output
    from swather.runs import schedule_facts
    from swather.runs.due_now import make_due

    with database.opened(db) as store:
        due = make_due(store, schedule)
    if as_json:
        output.print_json(schedule_facts.data_of(due, []))
        return
    print(f"{schedule} is due now")
    print(schedule_facts.WHO_FIRES)


@command_in(group, "disable", "swather schedules disable books")
def disable_schedule(schedule: Name, db: DatabaseToChange = None, as_json: AsJSON = False) -> None:
    """Stop a schedule until it is enabled. Runs that have started go on."""
    from swather.cli import database

    with database.opened(db) as store:
        store.schedules.disable(schedule)
        _tell(store.schedules.get(schedule), as_json=as_json)


@command_in(
    group,
    "run",
    """\
swather schedules run
swather schedules run --db postgresql://me@localhost/queue""",
)
def run_schedules(db: Database = None, as_json: AsJSON = False) -> int:
    """Fire schedules and deliver notices until it is stopped, and do nothing else.

    Workers with --forever do so as well; this is for a machine without workers. Several may run at
    once, on several machines. SIGINT or SIGTERM ends it.
    """
    from swather.cli import database, output
    from swather.cli.failure import DATABASE
    from swather.cli.stop_signal import wait_for_signal
    from swather.fleet.duties import Duties, RegisteredCode
    from swather.scraping import registry
    from swather.scraping.registered import registered

    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    registry.enter_folder()
    with database.opened(db) as store:
        url = store.url
    with Duties(url, RegisteredCode(registered())) as duties:
        code = wait_for_signal(lambda: duties.have_failed)
    code = DATABASE if code is None else code
    if as_json:
        output.print_json({"exit_code": code})
    return code


def _tell(found: "Schedule", *, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs import schedule_facts

    if as_json:
        output.print_json(schedule_facts.data_of(found, []))
        return
    print(f"{found.name}: {schedule_facts.when(found)}")


def _named(params: list[str]) -> dict[str, Any]:
    from swather.errors import InputError

    found = {}
    for text in params:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"a parameter looks like name=value, got {text!r}")
        found[name.strip()] = value
    return found
