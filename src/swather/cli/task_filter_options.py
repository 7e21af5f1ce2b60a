"""Options that choose tasks of a run: those of `tasks`, `retry` and `cancel`."""

from typing import Annotated

import typer

from swather.model.task import State

States = Annotated[list[State] | None, typer.Option("--state", help="In this state. Repeatable.")]
Reasons = Annotated[
    list[str] | None,
    typer.Option(
        "--reason",
        metavar="REASON",
        help="Ended for this reason: not_found, timeout, … Repeatable.",
    ),
]
ErrorClassName = Annotated[
    str | None,
    typer.Option("--error-class", metavar="CLASS", help="Last error of this class."),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="GROUP",
        help="Last error in this group of `errors`; a unique prefix is enough.",
    ),
]
Lane = Annotated[str | None, typer.Option("--lane", metavar="LANE", help="On this lane.")]
TaskNumbers = Annotated[
    list[int] | None,
    typer.Option("--task", metavar="TASK", help="With this number. Repeatable."),
]
