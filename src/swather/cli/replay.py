"""`swather replay`: a changed parser over the pages that a run has stored."""

from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.amounts import max_failed_of
from swather.cli.arguments import Concurrency, DryRun, GraceSeconds, MaxFailed, RunName, Verbose
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather replay 20260215_120000-books books.py
swather replay books books.py --dry-run
swather replay books books.py -o books.csv"""


def command(
    run: RunName,
    scraper: Annotated[
        str | None,
        typer.Argument(
            metavar="SCRAPER",
            help="The code to run: file.py, file.py:name, module:name or site.toml. Not needed "
            "for a registered scraper.",
        ),
    ] = None,
    concurrency: Concurrency = None,
    grace_seconds: GraceSeconds = None,
    max_failed: MaxFailed = "0",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The results file: .jsonl, .json, .csv, .xlsx or .parquet. By default the .jsonl "
            "of the run, if it is in this folder.",
        ),
    ] = None,
    new: Annotated[
        bool,
        typer.Option("--new", help="Start over instead of resuming an unfinished replay."),
    ] = False,
    dry_run: DryRun = False,
    verbose: Verbose = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Run a changed scraper over stored pages, without a request.

    Every target of the run that has stored pages is scraped again from them. Its new items replace
    the old ones, and the results file is rewritten. The old items of a target that fails are left
    out of it; `export --outdated` writes them. Other workers do not work on the run during a
    replay. A target that asks for a page that is not stored fails with the reason not_stored. To
    resume a replay that was stopped, run the same command. Runs with --store-pages store pages.
    """
    from swather.cli import database
    from swather.cli.replay_session import ReplaySession
    from swather.runs.selection import run_named

    with database.opened(db) as store:
        found = run_named(store, run)
        options = {"db": db, "concurrency": concurrency, "grace_seconds": grace_seconds}
        session = ReplaySession(
            store=store,
            db=db,
            options=options,
            spec=scraper,
            output=output,
            max_failed=max_failed_of(max_failed),
            new=new,
            verbose=verbose,
            as_json=as_json,
        )
        if dry_run:
            session.preview(found)
            return 0
        return session.replay(found)
