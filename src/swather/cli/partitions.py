"""`swather partitions …`: who serves which partitions of a run, and plans for that."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.group import NamingGroup, command_in, listing_group
from swather.cli.options import AsJSON, Database

if TYPE_CHECKING:
    from swather.model.partition import Partition, PartitionCounts
    from swather.store.ports import Store

EXAMPLES: Final = """\
swather partitions
swather partitions 20260215_120000-states
swather partitions check swather.toml --run states
swather partitions plan states --workers 10"""

RunName = Annotated[
    str | None, typer.Argument(metavar="RUN", help="The run, or a scraper. Default: the newest.")
]

group = listing_group(EXAMPLES, NamingGroup)


@group.callback()
def partitions() -> None:
    """Show who serves which partitions, and check plans.

    A partition is served by one worker at a time: a state, a country. A plan says which worker
    number serves which partitions. `swather partitions` is short for `swather partitions ls`, and
    takes the same arguments and options.
    """


@command_in(
    group,
    "ls",
    """\
swather partitions ls
swather partitions ls states
swather partitions ls --json | jq '.[] | select(.worker == null)'""",
)
def list_partitions(run: RunName = None, db: Database = None, as_json: AsJSON = False) -> None:
    """List the partitions of a run.

    Shows the worker number that each is planned for, the worker that serves it, and what is left to
    do in it. A partition is leaving if its planned worker has asked for it; it is handed over when
    its running targets have ended.
    """
    from swather.cli import database, output
    from swather.runs.partition_facts import data_of

    with database.opened(db) as store:
        name = _run_of(store, run)
        found = store.partitions.find(name)
        counts = store.partitions.counts(name)
    found.sort(key=lambda each: (each.number is None, each.number, each.name))
    if as_json:
        output.print_json([data_of(each, counts) for each in found])
        return
    if not found:
        print(f"run {name} has no partitions; scrapers and targets name them")
        return
    headers = ("partition", "planned", "served by", "waiting", "running")
    output.show(output.listing(headers, [_row(each, counts) for each in found]))


@command_in(
    group,
    "check",
    """\
swather partitions check swather.toml
swather partitions check plan.csv --run states
swather partitions check plan.toml --names states.txt --json""",
)
def check_plan(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A TOML file with a table [partitions], or CSV: worker number, partition.",
        ),
    ],
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Compare with the partitions of this run."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--names", metavar="FILE", help="Compare with the names in this text file."),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Check a plan, and say what is wrong with it.

    Finds partitions that are given to two workers, workers without partitions and, compared with a
    run or a list of names, partitions that are missing or unknown. Exit code 2 if there are any.
    """
    from swather.cli import output
    from swather.cli.partition_report import report
    from swather.model.assignment import check
    from swather.runs.partition_plans import read_names, read_plan

    plan = read_plan(file)
    known = None if names is None else read_names(names)
    if run is not None:
        known = {*(known or ()), *_names_of(run, db)}
    faults = check(plan, known)
    if as_json:
        output.print_json(
            {
                "file": str(file),
                "valid": not faults,
                "workers": len(plan.workers),
                "partitions": len(plan.numbers),
                "mistakes": [{"kind": fault.kind, "text": fault.text} for fault in faults],
            }
        )
    else:
        for line in report(file, plan, faults, is_compared=known is not None):
            print(line)
    return 2 if faults else 0


@command_in(
    group,
    "plan",
    """\
swather partitions plan --workers 10
swather partitions plan states --workers 10 > plan.toml
swather partitions plan states --workers 4 --apply""",
)
def make_plan(
    run: RunName = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="For so many; else as in the settings."),
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Make it the plan of the run, which workers follow.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Deal the partitions of a run out to workers, by what is left to do.

    Prints a table for swather.toml, or for a file of its own that the setting `partitions` names.
    With --apply, workers follow it within seconds; those that start later with a plan in their
    settings write that one again.
    """
    from swather.cli import database, output
    from swather.model.assignment import balanced
    from swather.model.assignment_text import toml_of
    from swather.runs import configuration

    with database.opened(db) as store:
        name = _run_of(store, run)
        counts = store.partitions.counts(name)
        wanted = configuration.resolve(store, {"db": db, "workers": workers}).settings.workers
        pending = {part: each.waiting + each.running for part, each in counts.items()}
        plan = balanced(pending, wanted)
        if apply:
            store.partitions.plan(name, plan.numbers)
            store.hints.send()
    if as_json:
        output.print_json(
            [
                {"planned": number, "partitions": list(each), "left": _left(each, pending)}
                for number, each in plan.workers.items()
            ]
        )
        return
    print(toml_of(plan, {number: _left(each, pending) for number, each in plan.workers.items()}))


def _left(names: tuple[str, ...], pending: dict[str, int]) -> int:
    return sum(pending[name] for name in names)


def _run_of(store: "Store", run: str | None) -> str:
    from swather.runs.run_names import find_run, newest_run

    return newest_run(store).name if run is None else find_run(store, run).name


def _names_of(run: str, db: str | None) -> set[str]:
    from swather.cli import database

    with database.opened(db) as store:
        return {each.name for each in store.partitions.find(_run_of(store, run))}


def _row(each: "Partition", counts: "dict[str, PartitionCounts]") -> tuple[Any, ...]:
    from swather.runs.partition_facts import data_of

    data = data_of(each, counts)
    served = each.owner or "nobody"
    planned = "-" if each.number is None else f"worker {each.number}"
    if each.leaving:
        served += " (leaving)"
    return each.name, planned, served, data["waiting"], data["running"]
