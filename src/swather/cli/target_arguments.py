"""Arguments and options that say what to scrape, of `run` and `enqueue`."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from swather.runs.source import Source

T = TypeVar("T")

Targets = Annotated[
    list[str] | None, typer.Argument(metavar="TARGET", help="URLs or other targets.")
]
TargetsFile = Annotated[
    list[str] | None,
    typer.Option(
        "--targets",
        metavar="FILE",
        help="A file of targets, one per line: .txt, .csv or .jsonl, also as .gz; - is stdin. "
        "Repeatable.",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="NAME",
        help="The CSV column, by name or number, or JSON member to scrape. Default: the CSV "
        "column that holds URLs.",
    ),
]
Rows = Annotated[
    bool, typer.Option("--rows", help="Scrape whole CSV rows: a target has all the cells.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a CSV file names the columns. Default: unless it holds a "
        "URL or only numbers.",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", metavar="NAME", help="The column that tells targets apart. Default: the target."
    ),
]
Priority = Annotated[
    str | None,
    typer.Option("--priority", metavar="N", help="Priority of the targets, 1 to 10; default 5."),
]
PriorityColumn = Annotated[
    str | None,
    typer.Option("--priority-column", metavar="NAME", help="The column that holds priorities."),
]
LowestFirst = Annotated[
    bool,
    typer.Option(
        "--lowest-first",
        help="Priorities of these targets count from 1, the highest, to 10: 1 becomes 10.",
    ),
]
Lane = Annotated[
    str | None,
    typer.Option(
        "--lane", metavar="LANE", help="Pace the targets as one, under this name, not by host."
    ),
]
LaneColumn = Annotated[
    str | None,
    typer.Option("--lane-column", metavar="NAME", help="The column that holds lanes."),
]
Partition = Annotated[
    str | None,
    typer.Option(
        "--partition", metavar="NAME", help="Let one worker at a time work on the targets."
    ),
]
PartitionColumn = Annotated[
    str | None,
    typer.Option("--partition-column", metavar="NAME", help="The column that holds partitions."),
]
Due = Annotated[
    str | None,
    typer.Option(
        "--due",
        metavar="TIME",
        help="Start no target before: 2026-03-01T12:00 (local time unless it has a zone), or a "
        "delay such as 2h.",
    ),
]
DueColumn = Annotated[
    str | None,
    typer.Option("--due-column", metavar="NAME", help="The column that holds due times."),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        metavar="N",
        help="At most N targets in the run, including those that it discovers.",
    ),
]
SkipBad = Annotated[
    bool,
    typer.Option("--skip-bad", help="Skip lines without a usable target, and list the first ones."),
]


def source_of(
    targets: Targets = None,
    files: TargetsFile = None,
    column: Column = None,
    rows: Rows = False,
    header: Header = None,
    key: Key = None,
    priority: Priority = None,
    priority_column: PriorityColumn = None,
    lowest_first: LowestFirst = False,
    lane: Lane = None,
    lane_column: LaneColumn = None,
    partition: Partition = None,
    partition_column: PartitionColumn = None,
    due: Due = None,
    due_column: DueColumn = None,
    skip_bad: SkipBad = False,
    limit: Limit = None,
) -> "Source":
    """The targets that a command names."""
    from swather.runs.layout import Layout
    from swather.runs.source import Source
    from swather.runs.target_options import OptionTexts

    return Source(
        arguments=tuple(targets or ()),
        files=tuple(files or ()),
        layout=Layout(
            column=column,
            key=key,
            options=OptionTexts(
                priority=priority_column, lane=lane_column, partition=partition_column,
                due=due_column, lowest_first=lowest_first,
            ),
            texts=OptionTexts(
                priority=priority, lane=lane, partition=partition, due=due,
                lowest_first=lowest_first,
            ),
            header=header,
            rows=rows,
        ),
        limit=limit,
        skip_bad=skip_bad,
    )  # fmt: skip


def takes_targets(command: Callable[..., T]) -> Callable[..., T]:
    """Give a command the parameters of `source_of` in place of `source`, which it gets of them."""
    own, named = inspect.signature(command), inspect.signature(source_of).parameters

    @wraps(command)
    def taking(**given: Any) -> T:
        source = source_of(**{name: given.pop(name) for name in named})
        return command(source=source, **given)

    parameters = [
        each
        for parameter in own.parameters.values()
        for each in (named.values() if parameter.name == "source" else [parameter])
    ]
    vars(taking)["__signature__"] = own.replace(parameters=parameters)
    taking.__annotations__ = {each.name: each.annotation for each in parameters}
    return taking
