"""`swather run`: a scraper over its targets, from the first to the last."""

from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.amounts import max_failed_of, seconds_of
from swather.cli.arguments import (
    BatchSize,
    Column,
    Concurrency,
    GraceSeconds,
    Key,
    LeaseSeconds,
    Limit,
    MaxFailed,
    New,
    Parameters,
    Resume,
    ScraperSpec,
    SkipBad,
    StrategyName,
    Targets,
    TargetsFile,
    Verbose,
)
from swather.cli.options import AsJSON, Database
from swather.cli.scraper_options import ScraperCommand

KIND: Final = ScraperCommand
EXAMPLES: Final = """\
swather run books.py https://books.toscrape.com/
swather run books.py --targets urls.txt --workers 4 --concurrency 50 -o books.csv
swather run shops.py --targets shops.csv --column url --key id -p country=nl
cat urls.txt | swather run books.py --targets - --max-time 2h --max-failed 1%"""


def command(
    scraper: ScraperSpec,
    targets: Targets = None,
    files: TargetsFile = None,
    column: Column = None,
    key: Key = None,
    params: Parameters = None,
    limit: Limit = None,
    skip_bad: SkipBad = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="Worker processes; 1 unless set."),
    ] = None,
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
    max_time: Annotated[
        str | None,
        typer.Option("--max-time", metavar="TIME", help="Stop after 90s, 15m, 2h or 1d."),
    ] = None,
    max_failed: MaxFailed = "0",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where items go: .jsonl (written live), .csv or .parquet. Without one: "
            "NAME.jsonl, after the scraper. Results of another run in it are set aside.",
        ),
    ] = None,
    store_pages: Annotated[
        bool | None,
        typer.Option(
            "--store-pages/--no-store-pages",
            help="Keep the pages that are fetched, for `swather replay`.",
        ),
    ] = None,
    resume: Resume = None,
    new: New = False,
    verbose: Verbose = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Scrape targets, and lose nothing.

    Loads the targets, lets worker processes work on them, shows how it goes and writes what they
    find. The same command again goes on where it stopped. The first Ctrl-C lets running targets
    end, the second stops at once; if any are left, the exit code is 130, as after --max-time.
    """
    from swather.cli.run_session import RunSession
    from swather.runs.source import Source

    session = RunSession(
        spec=scraper,
        source=Source(
            arguments=tuple(targets or ()),
            files=tuple(files or ()),
            column=column,
            key=key,
            limit=limit,
            skip_bad=skip_bad,
        ),
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
        },
        max_seconds=None if max_time is None else seconds_of(max_time, option="--max-time"),
        max_failed=max_failed_of(max_failed),
        output=output,
        resume=resume,
        new=new,
        verbose=verbose,
        as_json=as_json,
    )
    return session.run()
