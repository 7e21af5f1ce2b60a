"""`swather run`: a scraper over its targets, from the first to the last."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.amounts import max_failed_of, seconds_of
from swather.cli.arguments import (
    BatchSize,
    Concurrency,
    GraceSeconds,
    LeaseSeconds,
    MaxFailed,
    MaxTime,
    New,
    OutputDir,
    Parameters,
    Resume,
    ScraperSpec,
    StrategyName,
    Verbose,
    WorkerCount,
)
from swather.cli.options import AsJSON, Database
from swather.cli.scraper_options import ScraperCommand
from swather.cli.target_arguments import takes_targets

if TYPE_CHECKING:
    from swather.runs.source import Source

KIND: Final = ScraperCommand
EXAMPLES: Final = """\
swather run books.py https://books.toscrape.com/
swather run books.py --targets urls.txt --workers 4 --concurrency 50 -o books.csv
swather run shops.py --targets shops.csv --column url --key id -p country=nl
swather run books.py --targets urls.txt --serve
cat urls.txt | swather run books.py --targets - --max-time 2h --max-failed 1%"""


@takes_targets
def command(
    scraper: ScraperSpec,
    source: "Source",
    params: Parameters = None,
    workers: WorkerCount = None,
    concurrency: Concurrency = None,
    batch_size: BatchSize = None,
    strategy: StrategyName = None,
    rate: Annotated[
        str | None,
        typer.Option(
            "--rate",
            metavar="RATE",
            help="Requests per host: 20/s, 30/min, auto; none: any. Without one, and without one "
            "in the scraper: 5/s for each host of the public web.",
        ),
    ] = None,
    lease_seconds: LeaseSeconds = None,
    grace_seconds: GraceSeconds = None,
    max_time: MaxTime = None,
    max_failed: MaxFailed = "0",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where items go: .jsonl (written live), .json, .csv, .xlsx or .parquet. Default: "
            "NAME.jsonl, after the scraper. Results of another run in it are set aside.",
        ),
    ] = None,
    output_dir: OutputDir = None,
    store_pages: Annotated[
        bool | None,
        typer.Option(
            "--store-pages/--no-store-pages",
            help="Keep the pages that are fetched, for `swather replay`.",
        ),
    ] = None,
    resume: Resume = None,
    new: New = False,
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Also retry the targets of the run that failed."),
    ] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Also serve the dashboard, while the run lasts.")
    ] = False,
    verbose: Verbose = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Scrape targets, and lose nothing.

    Loads the targets, starts worker processes, shows their progress and writes the results. Run the
    same command again to resume. The first Ctrl-C finishes the running targets, the second stops
    now; if targets are left, the exit code is 130, as after --max-time.
    """
    from swather.cli.run_session import RunSession
    from swather.model.task import State
    from swather.model.task_filter import TaskFilter

    session = RunSession(
        spec=scraper,
        source=source,
        params=params or [],
        options={
            "db": db,
            "workers": workers,
            "concurrency": concurrency,
            "batch_size": batch_size,
            "strategy": strategy,
            "rate": rate,
            "lease_seconds": lease_seconds,
            "grace_seconds": grace_seconds,
            "store_pages": store_pages,
            "files_folder": output_dir,
        },
        max_seconds=None if max_time is None else seconds_of(max_time, option="--max-time"),
        max_failed=max_failed_of(max_failed),
        output=output,
        resume=resume,
        new=new,
        retry=TaskFilter(run="", states=frozenset({State.FAILED})) if retry_failed else None,
        verbose=verbose,
        as_json=as_json,
        serve=serve,
    )
    return session.run()
