"""`swather lanes ls`."""

from datetime import UTC, datetime
from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather lanes ls
swather lanes ls --scraper
swather lanes ls --json | jq '.[] | select(.cool_until)'"""


def command(
    scraper: Annotated[
        bool, typer.Option("--scraper", help="Only scrapers: limits on all that one does.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N lanes.")] = 100,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List lanes that are limited, held or at work.

    The rate is the one in force: the slowest of what was set here, of the Crawl-delay in the site's
    robots.txt and of the pace that was learned (a scraper's rate="auto"). What a scraper's
    decorator says holds beside it, for that scraper's runs.
    """
    from swather.cli import database, output
    from swather.cli.lanes.facts import data_of, row_of
    from swather.model.lane import PacedKind

    with database.opened(db) as store:
        found = store.lanes.find(limit=limit + 1)
        breakers = store.breakers.find()
    more = len(found) > limit
    found = [lane for lane in found[:limit] if lane.kind is PacedKind.SCRAPER or not scraper]
    if as_json:
        output.print_json([data_of(lane, breakers) for lane in found])
        return
    if not found:
        example = database.with_db("swather lanes set example.com --rate 2/s", db)
        print("no scraper is limited or held back" if scraper else _NONE.format(example))
        return
    now = datetime.now(UTC)
    headers = ("lane", "kind", "rate", "in flight", "state")
    output.show(output.listing(headers, [row_of(lane, breakers, now) for lane in found]))
    if more:
        print(f"there are more: --limit {limit * 10}")


_NONE: Final = "no lane is limited, held back or at work; to limit one: {}"
