"""`swather enqueue`: targets into a run, for workers that run elsewhere or later."""

from typing import TYPE_CHECKING, Final

from swather.cli.arguments import (
    KeepOpen,
    New,
    OutputDir,
    Parameters,
    Resume,
    ScraperSpec,
)
from swather.cli.options import AsJSON, Database
from swather.cli.scraper_options import ScraperCommand
from swather.cli.target_arguments import takes_targets

if TYPE_CHECKING:
    from swather.runs.source import Source

KIND: Final = ScraperCommand
EXAMPLES: Final = """\
swather enqueue books.py --targets urls.txt
swather enqueue books.py --targets shops.csv --column url --json | jq -r .worker_command
swather enqueue books.py https://example.com/new --resume books --priority 9
swather enqueue books.py --targets shops.csv --priority-column rank --due 2h"""


@takes_targets
def command(
    scraper: ScraperSpec,
    source: "Source",
    params: Parameters = None,
    output_dir: OutputDir = None,
    resume: Resume = None,
    new: New = False,
    keep_open: KeepOpen = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Load targets into a run, and print the command that starts a worker on it.

    Starts no worker itself. The same command again adds the targets that the run does not have yet;
    --resume adds to any run, --new starts another.
    """
    from swather.cli import output, queueing
    from swather.errors import InputError
    from swather.runs.order import Order
    from swather.scraping import registry

    if source.is_empty:
        raise InputError(f"nothing to load: swather enqueue {scraper} URL…, or --targets FILE")
    order = Order(
        scraper=registry.load(scraper),
        source=source,
        options={"db": db, "files_folder": output_dir},
        params=params or [],
        resume=resume,
        new=new,
        keep_open=keep_open,
    )
    queued = queueing.queue(order, scraper, db)
    if as_json:
        output.print_json(queueing.as_data(queued, db))
    else:
        queueing.show(queued)
