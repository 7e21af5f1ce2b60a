"""`swather fleet check`: what `fleet up` would find and do, without starting anything."""

from typing import Annotated

import typer

from swather.cli.arguments import Concurrency
from swather.cli.options import AsJSON, Database
from swather.fleet.placement import Place

Test = Annotated[
    bool,
    typer.Option(
        "--test",
        help="Only workers 0 and 1, with only the partitions planned for them; do not ask.",
    ),
]


def check(
    scrapers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCRAPER",
            help="The code to run, in addition to registered scrapers: file.py, file.py:name, "
            "module:name or site.toml.",
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Only this run. Default: all open runs."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="How many; default: the setting."),
    ] = None,
    on: Annotated[
        Place, typer.Option("--on", help="Where: processes of this machine, or a Ray cluster.")
    ] = Place.LOCAL,
    test: Test = False,
    concurrency: Concurrency = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Check what a fleet needs, and show who would do what.

    Checks settings, database, disk, code, proxies, Tor, Chromium and the plan of partitions. Shows
    the partitions, proxies and waiting targets of each worker, the progress of open runs, and an
    estimate: at least as long as the limits of lanes require, and with what earlier workers have
    measured. Starts nothing. The exit code is 2 if there is a problem that keeps a fleet from
    starting.
    """
    from swather.cli import database, fleet_preflight, output, preflight_view
    from swather.cli.failure import USAGE
    from swather.runs.run_names import find_run

    options = {"db": db, "workers": workers, "concurrency": concurrency}
    with database.opened(db) as store:
        found = fleet_preflight.looked_at(
            store,
            options,
            scrapers or [],
            run=None if run is None else find_run(store, run).name,
            place=on,
            is_test=test,
        )
    if as_json:
        output.print_json(preflight_view.as_data(found))
    else:
        preflight_view.show(found)
    return USAGE if found.problems else 0
