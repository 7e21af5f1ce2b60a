"""`swather fleet wanted`: how many workers the waiting work can use."""

from typing import Annotated

import typer

from swather.cli.options import AsJSON, Database


def show_wanted(
    scrapers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCRAPER", help="Count only runs of these scrapers, by name. Default: all."
        ),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Count only this run.")
    ] = None,
    minimum: Annotated[
        int | None,
        typer.Option("--min", min=0, metavar="N", help="Never fewer. Default: min_workers."),
    ] = None,
    maximum: Annotated[
        int | None,
        typer.Option("--max", min=1, metavar="N", help="Never more. Default: no bound."),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show how many workers the waiting work can use, and what decides that.

    One worker for every 1,000 tasks that are ready, running or due within a minute (the setting
    tasks_per_worker), but no more than lanes, scrapers and partitions can use at once. It is what
    `fleet up --autoscale` goes by, which also looks at memory and does not shrink too soon, and
    what the view v_fleet_wanted shows to other autoscalers.
    """
    from swather.cli import database, output
    from swather.fleet.wanted_facts import wanted_in
    from swather.runs import configuration
    from swather.runs.run_names import find_run
    from swather.runs.words import count

    with database.opened(db) as store:
        found = wanted_in(
            store,
            configuration.resolve(store, {"db": db}).settings,
            scrapers=scrapers or [],
            run=None if run is None else find_run(store, run).name,
            minimum=minimum,
            maximum=maximum,
        )
    if as_json:
        output.print_json(found)
        return
    wanted, running = count(found["wanted"], "worker"), found["workers"]
    print(f"{wanted} wanted, {running:,} running: {found['reason']}")
