"""`swather worker`: the process that claims, scrapes and reports."""

import logging
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.arguments import BatchSize, Concurrency, GraceSeconds, LeaseSeconds, StrategyName
from swather.cli.options import AsJSON, Database
from swather.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from swather.scraping.scraper import Scraper
    from swather.settings import Settings
    from swather.store.ports import Store
    from swather.worker import Worker

EXAMPLES: Final = """\
swather worker books.py --run 20260215_120000-books
swather worker books.py --forever --db postgresql://me@localhost/queue
swather worker books.py shops.py:dutch --concurrency 50 --strategy priority"""


class Level(StrEnum):
    """How much a worker logs."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def command(
    scrapers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCRAPER",
            help="The code to run, besides the installed scrapers: file.py, file.py:name or "
            "module:name.",
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Work on this run alone; else on all open ones."),
    ] = None,
    concurrency: Concurrency = None,
    batch_size: BatchSize = None,
    strategy: StrategyName = None,
    partitions: Annotated[
        str | None,
        typer.Option(
            "--partitions", metavar="A,B", help="Serve these; else whatever nobody serves."
        ),
    ] = None,
    lease_seconds: LeaseSeconds = None,
    grace_seconds: GraceSeconds = None,
    poll_seconds: Annotated[
        float | None,
        typer.Option(
            "--poll-seconds", metavar="SECONDS", help="Between two looks when no hint comes."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What this worker is called.")
    ] = None,
    forever: Annotated[
        bool, typer.Option("--forever", help="Go on when there is nothing left to do.")
    ] = False,
    log_level: Annotated[
        Level, typer.Option("--log-level", help="How much is logged, on stderr.")
    ] = Level.INFO,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Claim, scrape and report, until nothing is left to do.

    Any number of workers may share a database, on this machine or on others; add and stop them at
    any time. A worker runs only code that is named here or installed, and leaves the runs of other
    scrapers alone. The first SIGINT or SIGTERM lets running targets end and gives the rest back,
    the second stops at once.
    """
    from swather.cli import database
    from swather.runs import configuration
    from swather.worker import process

    _log_to_stderr(log_level)
    options = {
        "db": db,
        "concurrency": concurrency,
        "batch_size": batch_size,
        "strategy": strategy,
        "lease_seconds": lease_seconds,
        "grace_seconds": grace_seconds,
        "poll_seconds": poll_seconds,
    }
    with database.opened(db) as store:
        settings = configuration.resolve(store, options).settings
        code = _scrapers(store, scrapers or [], run)
    worker = _worker(
        settings,
        {name: configuration.apply(found, settings) for name, found in code.items()},
        url=database.existing(db),
        run=run,
        partitions=tuple(partitions.split(",")) if partitions else None,
        forever=forever,
        name=name,
        as_json=as_json,
    )
    return process.main(worker)


def _scrapers(store: "Store", specs: list[str], run: str | None) -> dict[str, "Scraper"]:
    """The code this worker has, by name; on one run it needs no other than the run's."""
    from swather.scraping.available import Available

    available = Available(specs)
    if run is not None:
        found = available.of(store.runs.get(run))
        return {found.name: found}
    scrapers = available.all()
    if not scrapers:
        raise InputError("no scraper is installed; name the code to run: swather worker books.py")
    return scrapers


def _worker(
    settings: "Settings", scrapers: dict[str, "Scraper"], *, as_json: bool, **given: Any
) -> "Worker":
    from swather.cli import output
    from swather.fleet.worker_factory import new_worker
    from swather.worker import Worker, WorkerReport

    class Reporting(Worker):
        def run(self, on_stuck: "Callable[[], None]" = lambda: None) -> WorkerReport:
            import msgspec

            report = super().run(on_stuck)
            if as_json:
                output.print_json(msgspec.to_builtins(report))
                sys.stdout.flush()
            return report

    return new_worker(settings, scrapers, Reporting, **given)


class _Formatter(logging.Formatter):
    """Records of a scraper say which task they are about."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        task = getattr(record, "task", None)
        return text if task is None else f"{text} [task {task}]"


def _log_to_stderr(level: Level) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    if level is Level.WARNING:
        # What a scraper says of itself is meant to be seen.
        logging.getLogger("swather.scraper").setLevel(logging.INFO)
