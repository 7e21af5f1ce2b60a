"""What the commands share that hold lanes back and let them go on."""

from collections.abc import Callable

from swather.cli.arguments import DryRun
from swather.cli.held_back import Verb, change
from swather.cli.lanes.named import LaneNames, OfScrapers, names_of
from swather.cli.options import AsJSON, Database


def command_that(verb: Verb, text: str) -> Callable[..., None]:
    """A command that does one of the two to lanes, or to scrapers."""

    def command(
        lanes: LaneNames,
        scraper: OfScrapers = False,
        dry_run: DryRun = False,
        db: Database = None,
        as_json: AsJSON = False,
    ) -> None:
        named = {"scrapers" if scraper else "lanes": names_of(lanes, scrapers=scraper)}
        change(verb, named, db, dry_run=dry_run, as_json=as_json)

    command.__doc__ = text
    return command
