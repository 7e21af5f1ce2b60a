"""`swather lanes clear`."""

from typing import Final

from swather.cli.arguments import DryRun
from swather.cli.lanes.named import LaneNames, OfScrapers
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather lanes clear example.com
swather lanes clear books --scraper --dry-run"""


def command(
    lanes: LaneNames,
    scraper: OfScrapers = False,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Forget all that holds lanes back.

    Limits that were set, a pause, a cool-down and its strikes, the learned pace, the crawl delay,
    open circuit breakers. What a scraper's decorator says still holds.
    """
    from swather.cli import database, output
    from swather.cli.lanes.named import kind_of, names_of

    kind = kind_of(scrapers=scraper)
    names = names_of(lanes, scrapers=scraper)
    with database.opened(db) as store:
        if not dry_run:
            for name in names:
                store.lanes.clear(name, kind)
            store.hints.send()
    if as_json:
        output.print_json({"cleared": [f"{kind} {name}" for name in names], "dry_run": dry_run})
        return
    for name in names:
        print(f"{kind} {name} {'would be' if dry_run else 'is'} cleared")
