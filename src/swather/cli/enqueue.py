"""`swather enqueue`: targets into a run, for workers that run elsewhere or later."""

import sys
from typing import Final

from swather.cli.arguments import (
    Column,
    Key,
    Limit,
    New,
    Parameters,
    Resume,
    ScraperSpec,
    SkipBad,
    Targets,
    TargetsFile,
)
from swather.cli.options import AsJSON, Database
from swather.cli.scraper_options import ScraperCommand

KIND: Final = ScraperCommand
EXAMPLES: Final = """\
swather enqueue books.py --targets urls.txt
swather enqueue books.py --targets shops.csv --column url --json | jq -r .worker_command
swather enqueue books.py https://example.com/new --resume 20260215_120000-books"""


def command(
    scraper: ScraperSpec,
    targets: Targets = None,
    files: TargetsFile = None,
    column: Column = None,
    key: Key = None,
    params: Parameters = None,
    limit: Limit = None,
    skip_bad: SkipBad = False,
    resume: Resume = None,
    new: New = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Load targets into a run, and say how to work on them.

    Starts no worker. The same command again adds what the run does not have yet; --resume adds to
    a run by its name, --new begins another.
    """
    from swather.cli import database, output
    from swather.cli.selection import worker_command
    from swather.errors import InputError, RunCancelled
    from swather.runs import configuration
    from swather.runs.load import load
    from swather.runs.source import Source
    from swather.runs.start import plan_run
    from swather.scraping import registry
    from swather.store import factory

    source = Source(
        arguments=tuple(targets or ()),
        files=tuple(files or ()),
        column=column,
        key=key,
        limit=limit,
        skip_bad=skip_bad,
    )
    if source.is_empty:
        raise InputError(f"nothing to load: swather enqueue {scraper} URL…, or --targets FILE")
    found = registry.load(scraper)
    settings = configuration.resolve(None, {"db": db}).settings
    configuration.run_params(found, params or [], settings)
    source.check(found)
    store = factory.open(settings.db)
    try:
        settings = configuration.resolve(store, {"db": db}).settings
        found = configuration.apply(found, settings)
        intake = source.intake(found)
        if intake.is_empty:
            print(f"note: {source.nothing_found}", file=sys.stderr)
        planned = plan_run(
            store,
            found,
            params=configuration.run_params(found, params or [], settings),
            source_fingerprint=source.fingerprint,
            source=source.in_words,
            resume=resume,
            new=new,
            task_limit=limit,
            default_rate=settings.default_rate,
        )
        loaded = load(store, planned.run.name, intake)
        if loaded.cancelled:
            raise RunCancelled(
                f"run {planned.run.name} was cancelled while targets were being loaded: "
                f"{loaded.added:,} were added and ended with it; --new begins another run"
            )
        store.runs.settle(planned.run.name)
    finally:
        store.close()
    answer = {
        "status": "enqueued",
        "run_id": planned.run.name,
        "enqueued": loaded.added,
        "duplicates": loaded.duplicates,
        "skipped": loaded.skipped,
        "database": database.shown(db),
        "worker_command": worker_command(planned.run, [registry.absolute(scraper)], db),
    }
    if as_json:
        output.print_json(answer)
        return
    skipped = f", {loaded.skipped:,} lines left out" if loaded.skipped else ""
    print(
        f"run {planned.run.name}: {loaded.added:,} targets loaded, "
        f"{loaded.duplicates:,} were there already{skipped}"
    )
    print(f"to work on them: {answer['worker_command']}")
