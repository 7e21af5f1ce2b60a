"""`swather unpause`: let go on what was paused."""

from typing import Final

from swather.cli.arguments import DryRun
from swather.cli.held_back import LaneNames, RunNames, ScraperNames, WorkerNames
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather unpause 20260215_120000-books
swather unpause --lane example.com
swather unpause --worker host_4711_2 --dry-run"""


def command(
    run: RunNames = None,
    lane: LaneNames = None,
    scraper: ScraperNames = None,
    worker: WorkerNames = None,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Let go on what was paused, or is cooling down.

    Also ends a cool-down, after a site has refused us.
    """
    from swather.cli import database, output
    from swather.cli.held_back import chosen

    with database.opened(db) as store:
        things = chosen(store, runs=run, lanes=lane, scrapers=scraper, workers=worker)
        for thing in things:
            if not dry_run:
                thing.unpause()
        store.hints.send()
    if as_json:
        output.print_json({"unpaused": [thing.title for thing in things], "dry_run": dry_run})
        return
    for thing in things:
        print(f"{thing.title} {'would be unpaused' if dry_run else 'is unpaused'}")
