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
from swather.cli.options import AsJSON, Database, Server
from swather.cli.scraper_options import ScraperCommand
from swather.cli.target_arguments import takes_targets

if TYPE_CHECKING:
    from swather.runs.source import Source

KIND: Final = ScraperCommand
EXAMPLES: Final = """\
swather enqueue books.py --targets urls.txt
swather enqueue books.py --targets shops.csv --column url --json | jq -r .worker_command
swather enqueue books.py https://example.com/new --resume books --priority 9
swather enqueue books.py --targets shops.csv --priority-column rank --due 2h
swather enqueue India --targets urls.txt --server https://swather.example.com"""


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
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Load targets into a run, and print the command that starts a worker on it.

    Starts no worker itself. The same command again adds the targets that the run does not have yet;
    --resume adds to any run, --new starts another. With --server, into a run of a scraper that is
    registered there; its code is not needed here.
    """
    from swather.cli import output, queueing
    from swather.errors import InputError
    from swather.runs.order import Order
    from swather.runs.own_targets import own_targets
    from swather.scraping import registry

    if server is not None:
        from swather.cli.remote_start import enqueue_there

        if output_dir is not None:
            raise InputError("--output-dir cannot go to a server; leave it out")
        enqueue_there(
            server, scraper, source, params or [],
            resume=resume, new=new, keep_open=keep_open, as_json=as_json,
        )  # fmt: skip
        return
    found = registry.load(scraper)
    source = source.or_start_of(found)
    options = {"db": db, "files_folder": output_dir}
    own = own_targets(found, params or [], options, source) if source.is_empty else source
    if own is None:
        raise InputError(f"nothing to load: swather enqueue {scraper} URL…, or --targets FILE")
    order = Order(
        scraper=found,
        source=own,
        options=options,
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
