"""`swather enqueue`: targets into a run, for workers that run elsewhere or later."""

import sys
from typing import TYPE_CHECKING, Final

from swather.cli.arguments import (
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
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Load targets into a run, and print the command that starts a worker on it.

    Starts no worker itself. The same command again adds the targets that the run does not have yet;
    --resume adds to any run, --new starts another.
    """
    from swather.cli import database, output
    from swather.cli.load_progress import LoadProgress
    from swather.cli.run_session import input_data
    from swather.cli.selection import worker_command_anywhere
    from swather.errors import InputError, RunCancelled
    from swather.fleet.driver import made_folder
    from swather.runs import configuration
    from swather.runs.load import load
    from swather.runs.proxy_lists import load_lists
    from swather.runs.start import plan_run
    from swather.scraping import registry
    from swather.store import factory

    if source.is_empty:
        raise InputError(f"nothing to load: swather enqueue {scraper} URL…, or --targets FILE")
    found = registry.load(scraper)
    settings = configuration.resolve(None, {"db": db}, found).settings
    configuration.run_params(found, params or [], settings)
    intake = source.intake(found)
    folder = made_folder(output_dir)
    store = factory.open(settings.db)
    try:
        settings = configuration.resolve(store, {"db": db}, found).settings
        found = configuration.apply(found, settings)
        of_proxies = load_lists(store, found, settings)
        planned = plan_run(
            store,
            found,
            params=configuration.run_params(found, params or [], settings),
            source_fingerprint=source.fingerprint,
            source=source.in_words,
            resume=resume,
            new=new,
            task_limit=source.limit,
            has_priorities=source.has_priorities,
            default_rate=settings.default_rate,
            files_folder=folder,
        )
        empty = [source.nothing_found] if intake.is_empty else []
        for note in [*intake.notes, *planned.notes, *of_proxies, *empty]:
            print(f"note: {note}", file=sys.stderr)
        with LoadProgress(output.stderr()) as progress:
            loaded = load(store, planned.run.name, intake, on_progress=progress.show)
        if loaded.cancelled:
            raise RunCancelled(
                f"run {planned.run.name} was cancelled while targets were being loaded: "
                f"{loaded.added:,} were added and cancelled with it; --new starts another run"
            )
        store.runs.settle(planned.run.name)
    finally:
        store.close()
    code = [registry.absolute(scraper)]
    command, environment = worker_command_anywhere(planned.run, code, db)
    if as_json:
        output.print_json(
            {
                "run": planned.run.name,
                **input_data(loaded),
                "database": database.shown(db),
                "worker_command": command,
                "worker_environment": environment,
            }
        )
        return
    for line in loaded.skipped_lines():
        print(line, file=sys.stderr)
    print(f"Run {planned.run.name}: {loaded.in_words(into_new=planned.is_new)}")
    print(f"To start a worker{database.environment_note(environment)}:")
    print(f"    {command}")
