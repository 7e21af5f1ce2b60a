"""`swather replay`: a changed parser over the pages that a run has stored."""

from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.amounts import max_failed_of
from swather.cli.arguments import Concurrency, DryRun, GraceSeconds, MaxFailed, RunName, Verbose
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather replay 20260215_120000-books books.py
swather replay books --dry-run
swather replay books books.py -o books.csv"""


def command(
    run: RunName,
    scraper: Annotated[
        str | None,
        typer.Argument(
            metavar="SCRAPER",
            help="The code to run: file.py, file.py:name or module:name. An installed scraper "
            "needs no naming.",
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
            help="Where items go: .jsonl, .csv or .parquet. Without one: the .jsonl of the run, if "
            "it is in this folder.",
        ),
    ] = None,
    new: Annotated[
        bool,
        typer.Option("--new", help="Begin anew, though an earlier replay stopped half-way."),
    ] = False,
    dry_run: DryRun = False,
    verbose: Verbose = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Run a changed scraper over stored pages, without a request.

    Every target of the run that has stored pages is scraped again from them, and its new items
    take the place of the old ones; the results file is written anew. Meanwhile the run is paused
    for other workers. What is asked for and not stored ends as not_stored. Stopped half-way, the
    same command goes on. Pages are stored by runs with --store-pages.
    """
    from swather.cli import database
    from swather.cli.replay_session import ReplaySession, show_what_is_stored
    from swather.cli.selection import run_named
    from swather.runs import configuration

    with database.opened(db) as store:
        found = run_named(store, run)
        if dry_run:
            show_what_is_stored(store, found, as_json=as_json)
            return 0
        options = {"db": db, "concurrency": concurrency, "grace_seconds": grace_seconds}
        session = ReplaySession(
            store=store,
            db=db,
            settings=configuration.resolve(store, options).settings,
            spec=scraper,
            output=output,
            max_failed=max_failed_of(max_failed),
            new=new,
            verbose=verbose,
            as_json=as_json,
        )
        return session.replay(found)
