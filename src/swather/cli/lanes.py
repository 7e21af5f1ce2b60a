"""`swather lanes …`: how fast each site is scraped, and what holds it back."""

import sys
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import typer

from swather.cli.arguments import DryRun
from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, Server
from swather.cli.pausing import Create, change
from swather.errors import InputError

EXAMPLES: Final = """\
swather lanes
swather lanes set example.com --rate 2/s --in-flight 4
swather lanes show example.com
swather lanes pause example.com
swather lanes cool example.com --for 10m
swather lanes clear example.com"""

LaneName = Annotated[
    str, typer.Argument(metavar="LANE", help="The lane: a host, or a URL of that host.")
]
LaneNames = Annotated[
    list[str], typer.Argument(metavar="LANE", help="The lanes: hosts, or URLs of those hosts.")
]
OfScrapers = Annotated[
    bool,
    typer.Option("--scraper", help="LANE is the name of a scraper: limits everything it does."),
]

group = listing_group(EXAMPLES)


@group.callback()
def lanes(
    ctx: typer.Context, db: Database = None, server: Server = None, as_json: AsJSON = False
) -> None:
    """Show and change how fast sites are scraped.

    A lane is paced as one: usually the host of a URL, or a name that a scraper chooses. Its limits
    apply to all runs and workers of the database together; a change takes effect within a second.
    Without a command: the list.
    """
    list_unless_called(ctx, list_lanes, db, server=server, as_json=as_json)


@command_in(
    group,
    "ls",
    """\
swather lanes ls
swather lanes ls --scraper
swather lanes ls --json | jq '.[] | select(.cool_until)'""",
)
def list_lanes(
    scraper: Annotated[
        bool, typer.Option("--scraper", help="Only scrapers: limits on everything one does.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N lanes.")] = 100,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """List lanes that are limited, held back or in use.

    The rate shown is the one in force: the slowest of the rate set here, the rates of runs that
    have workers, the learned pace (rate="auto") and the Crawl-delay in the site's robots.txt. Only
    the Crawl-delay slows down a rate that was set with --override.
    """
    from swather.cli import output
    from swather.cli.lanes_at import lanes_at
    from swather.model.lane import PacedKind
    from swather.runs.lane_facts import row_of

    with lanes_at(db, server) as lanes:
        known = lanes.find(limit + 1)
    more = len(known.lanes) > limit
    found = [lane for lane in known.lanes[:limit] if lane.kind is PacedKind.SCRAPER or not scraper]
    if as_json:
        output.print_json(known._replace(lanes=found).data())
        return
    if not found:
        print("no scraper is limited or held back" if scraper else _none(db, server))
        return
    now = datetime.now(UTC)
    headers = ("lane", "kind", "rate", "in flight", "state")
    output.show(output.listing(headers, [row_of(lane, known.breakers, now) for lane in found]))
    if more:
        print(f"there are more: --limit {limit * 10}")


def _none(db: str | None, server: str | None) -> str:
    from swather.cli import database
    from swather.cli.server_commands import with_server

    limit = "swather lanes set example.com --rate 2/s"
    there = database.with_db(limit, db) if server is None else with_server(limit, server)
    return f"no lane is limited, held back or in use; to limit one: {there}"


@command_in(
    group,
    "show",
    """\
swather lanes show example.com
swather lanes show books --scraper
swather lanes show example.com --json | jq .strikes""",
)
def show_lane(
    lane: LaneName,
    scraper: OfScrapers = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Show one lane, and what holds it back."""
    from swather.cli import output
    from swather.cli.lanes_at import lanes_at
    from swather.runs.lane_facts import facts_of
    from swather.runs.selection import lane_names, paced_kind

    (name,) = lane_names([lane], scrapers=scraper)
    with lanes_at(db, server) as lanes:
        found, holds = lanes.show(name, paced_kind(scrapers=scraper))
    (data,) = found.data()
    if as_json:
        output.print_json({**data, "reasons": [reason.as_data() for reason in holds]})
        return
    output.show(output.facts(facts_of(data)))
    print()
    output.tell(holds)
    if not holds:
        print("Nothing holds it back.")


@command_in(
    group,
    "set",
    """\
swather lanes set example.com --rate 2/s --in-flight 4
swather lanes set example.com --rate 30/min --burst 5
swather lanes set example.com --rate none
swather lanes set example.com --rate 20/s --override
swather lanes set books --scraper --rate 100/s""",
)
def limit_lanes(
    lanes: LaneNames,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="RATE", help="Requests: 5/s, 30/min, 1/2s, or none."),
    ] = None,
    in_flight: Annotated[
        str | None,
        typer.Option("--in-flight", metavar="N", help="Targets running at once, or none."),
    ] = None,
    burst: Annotated[
        int | None,
        typer.Option("--burst", min=1, metavar="N", help="Requests at once after a pause."),
    ] = None,
    override: Annotated[
        bool | None,
        typer.Option(
            "--override/--no-override",
            help="Replace what scrapers ask for, even to go faster.",
            show_default=False,
        ),
    ] = None,
    scraper: OfScrapers = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Limit how fast lanes are scraped.

    Over all runs and workers together, within a second. What is not named stays as it is.

    Normally the strictest limit applies: a lane goes no faster than a scraper's rate, the default
    rate or a learned pace. With --override, the limits set here replace those, slower or faster,
    in every run, until --no-override or clear. What the site asks for still applies: its
    Crawl-delay, cool-downs after 429 or 503, and circuit breakers.
    """
    from swather.cli import output
    from swather.cli.lanes_at import Asked, lanes_at
    from swather.runs.lane_changes import in_words
    from swather.runs.selection import lane_names, paced_kind

    asked = Asked(rate, in_flight, burst, override)
    if asked == Asked(None, None, None, None):
        raise InputError("nothing to set; pass --rate 2/s, --in-flight 4 or --burst 5")
    names = lane_names(lanes, scrapers=scraper)
    with lanes_at(db, server) as where:
        found, notes = where.limit(names, paced_kind(scrapers=scraper), asked)
    if as_json:
        output.print_json(found.data())
    else:
        for lane in found.lanes:
            print(f"{lane.kind} {lane.name}: {in_words(lane)}", flush=True)
    for note in notes:
        print(note, file=sys.stderr)


@command_in(
    group,
    "pause",
    """\
swather lanes pause example.com
swather lanes pause books --scraper""",
)
def pause_lanes(
    lanes: LaneNames,
    scraper: OfScrapers = False,
    create: Create = False,
    dry_run: DryRun = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Pause lanes.

    Running targets finish, but their further requests wait. Workers notice within a second.
    """
    named = _named(lanes, scrapers=scraper)
    change("pause", named, db, server, create=create, dry_run=dry_run, as_json=as_json)


@command_in(
    group,
    "cool",
    """\
swather lanes cool example.com --for 10m
swather lanes cool books --scraper --for 2h""",
)
def cool_lanes(
    lanes: LaneNames,
    time: Annotated[str, typer.Option("--for", metavar="TIME", help="For 90s, 10m, 2h or 1d.")],
    scraper: OfScrapers = False,
    dry_run: DryRun = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Leave lanes alone for a while.

    A pause that ends by itself. Running targets finish, but their further requests wait. Workers
    notice within a second. A longer cool-down is not shortened; unpause ends it.
    """
    from swather.cli import output
    from swather.cli.amounts import seconds_of
    from swather.cli.lanes_at import lanes_at
    from swather.runs.selection import lane_names, paced_kind
    from swather.runs.words import time_ahead
    from swather.store.checks import check_seconds

    seconds = check_seconds("--for", seconds_of(time, option="--for"))
    kind = paced_kind(scrapers=scraper)
    names = lane_names(lanes, scrapers=scraper)
    now = datetime.now(UTC)
    with lanes_at(db, server) as where:
        found = where.cool(names, kind, seconds, dry_run=dry_run)
    until = now + timedelta(seconds=seconds)
    ends = [max(lane.cool_until or until, until) for lane in found]
    if as_json:
        cooled = [
            {str(kind): name, "cool_until": end} for name, end in zip(names, ends, strict=True)
        ]
        output.print_json({"cooled": cooled, "dry_run": dry_run})
        return
    for name, end in zip(names, ends, strict=True):
        would = "would be" if dry_run else "is"
        print(f"{kind} {name} {would} cooling until {time_ahead(end, now)}")


@command_in(
    group,
    "unpause",
    """\
swather lanes unpause example.com
swather lanes unpause books --scraper""",
)
def unpause_lanes(
    lanes: LaneNames,
    scraper: OfScrapers = False,
    dry_run: DryRun = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Resume lanes.

    Ends a pause or cool-down and closes open circuit breakers. Limits stay as they are.
    """
    named = _named(lanes, scrapers=scraper)
    change("unpause", named, db, server, create=True, dry_run=dry_run, as_json=as_json)


def _named(lanes: list[str], *, scrapers: bool) -> dict[str, list[str] | None]:
    from swather.runs.selection import lane_names

    return {"scrapers" if scrapers else "lanes": lane_names(lanes, scrapers=scrapers)}


@command_in(
    group,
    "clear",
    """\
swather lanes clear example.com
swather lanes clear books --scraper --dry-run""",
)
def clear_lanes(
    lanes: LaneNames,
    scraper: OfScrapers = False,
    dry_run: DryRun = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Remove everything that holds lanes back.

    Limits set here, a pause, a cool-down and its strikes, the learned pace, the crawl delay and
    open circuit breakers. The limits in a scraper's decorator still apply.
    """
    from swather.cli import output
    from swather.cli.lanes_at import lanes_at
    from swather.runs.selection import lane_names, paced_kind

    kind = paced_kind(scrapers=scraper)
    names = lane_names(lanes, scrapers=scraper)
    with lanes_at(db, server) as where:
        where.clear(names, kind, dry_run=dry_run)
    if as_json:
        output.print_json({"cleared": [{str(kind): name} for name in names], "dry_run": dry_run})
        return
    for name in names:
        print(f"{kind} {name} {'would be' if dry_run else 'is'} cleared")
