"""`swather run`: a scraper over its targets, from the first to the last."""

from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.amounts import max_failed_of, seconds_of
from swather.cli.arguments import (
    BatchSize,
    Concurrency,
    GraceSeconds,
    LeaseSeconds,
    MaxFailed,
    New,
    OutputDir,
    Parameters,
    Resume,
    ScraperSpec,
    StrategyName,
    Verbose,
)
from swather.cli.options import AsJSON, Database
from swather.cli.scraper_options import ScraperCommand
from swather.cli.target_arguments import (
    Column,
    Due,
    DueColumn,
    Header,
    Key,
    Lane,
    LaneColumn,
    Limit,
    Partition,
    PartitionColumn,
    Priority,
    PriorityColumn,
    Rows,
    SkipBad,
    Targets,
    TargetsFile,
    source_of,
)

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
    rows: Rows = False,
    header: Header = None,
    key: Key = None,
    priority: Priority = None,
    priority_column: PriorityColumn = None,
    lane: Lane = None,
    lane_column: LaneColumn = None,
    partition: Partition = None,
    partition_column: PartitionColumn = None,
    due: Due = None,
    due_column: DueColumn = None,
    skip_bad: SkipBad = False,
    limit: Limit = None,
    params: Parameters = None,
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
        source=source_of(
            targets=targets,
            files=files,
            column=column,
            rows=rows,
            header=header,
            key=key,
            options={"priority": priority, "lane": lane, "partition": partition, "due": due},
            option_columns={
                "priority": priority_column,
                "lane": lane_column,
                "partition": partition_column,
                "due": due_column,
            },
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
    )
    return session.run()
