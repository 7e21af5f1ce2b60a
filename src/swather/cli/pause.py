"""`swather pause`: hold back a run, a lane, a scraper or a worker."""

from typing import Final

from swather.cli.arguments import DryRun
from swather.cli.held_back import LaneNames, RunNames, ScraperNames, WorkerNames
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather pause 20260215_120000-books
swather pause --lane example.com
swather pause --worker host_4711_2 --dry-run"""


def command(
    run: RunNames = None,
    lane: LaneNames = None,
    scraper: ScraperNames = None,
    worker: WorkerNames = None,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Hold back a run, a lane, a scraper or a worker.

    Nothing new is started there until it is unpaused; what runs already goes on to its end. Workers
    notice within a second.
    """
    from swather.cli import database, output
    from swather.cli.held_back import chosen

    with database.opened(db) as store:
        things = chosen(store, runs=run, lanes=lane, scrapers=scraper, workers=worker)
        for thing in things:
            if not dry_run:
                thing.pause()
        store.hints.send()
    if as_json:
        output.print_json({"paused": [thing.title for thing in things], "dry_run": dry_run})
        return
    for thing in things:
        print(f"{thing.title} {'would be paused' if dry_run else 'is paused'}")
