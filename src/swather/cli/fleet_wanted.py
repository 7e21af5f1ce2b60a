"""`swather fleet wanted`: how many workers the waiting work can use."""

from typing import Annotated, Any

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
    from swather.cli.json_names import named
    from swather.fleet.fleet_scaler import policy_of
    from swather.model.scaling import total, wanted
    from swather.model.supervisor import MAX_WORKERS
    from swather.model.worker import WorkerKind
    from swather.runs import configuration
    from swather.runs.run_names import find_run
    from swather.runs.words import count

    with database.opened(db) as store:
        settings = configuration.resolve(store, {"db": db}).settings
        run = None if run is None else find_run(store, run).name
        runs = store.runs.demand()
        workers = [one for one in store.workers.find() if one.kind is WorkerKind.WORKER]
    demand = total(runs, scrapers=scrapers or [], run=run)
    policy = policy_of(
        settings,
        settings.min_workers if minimum is None else minimum,
        MAX_WORKERS if maximum is None else maximum,
    )
    found = wanted(demand, policy, current=len(workers))
    if as_json:
        counted: dict[str, Any] = named(demand)
        output.print_json(
            {
                "wanted": found.number,
                "reason": found.reason,
                "workers": len(workers),
                **counted,
                "tasks_per_worker": policy.tasks_per_worker,
                "slots_per_worker": policy.slots_per_worker,
                "runs": named(runs),
            }
        )
        return
    print(f"{count(found.number, 'worker')} wanted, {len(workers):,} running: {found.reason}")
