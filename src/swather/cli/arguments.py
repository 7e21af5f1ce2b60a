"""Arguments and options that several commands share."""

from typing import Annotated

import typer

from swather.model.lease import Strategy

ScraperSpec = Annotated[
    str,
    typer.Argument(
        metavar="SCRAPER", help="file.py, file.py:name, module:name, or an installed name."
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p", "--param", metavar="NAME=VALUE", help="A parameter of the scraper. May be repeated."
    ),
]
Resume = Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Go on with this run.")]
New = Annotated[
    bool, typer.Option("--new", help="Begin a new run, though the same command has begun one.")
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency", min=1, metavar="N", help="Targets at a time in each worker; 10 unless set."
    ),
]
BatchSize = Annotated[
    int | None,
    typer.Option("--batch-size", min=1, metavar="N", help="Tasks that a worker claims at a time."),
]
LeaseSeconds = Annotated[
    float | None,
    typer.Option(
        "--lease-seconds",
        metavar="SECONDS",
        help="After which others take over from a worker that is silent.",
    ),
]
GraceSeconds = Annotated[
    float | None,
    typer.Option(
        "--grace-seconds",
        metavar="SECONDS",
        help="That running targets have to end when the worker is stopped.",
    ),
]
StrategyName = Annotated[
    Strategy | None, typer.Option("--strategy", help="In which order tasks are taken.")
]
RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The run's name, or a scraper's: its newest run."),
]
RunOrNewest = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="The run's name, or a scraper's: its newest run. Else the newest."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")
]
MaxFailed = Annotated[
    str,
    typer.Option(
        "--max-failed",
        metavar="N|P%",
        help="How many targets may fail, or which share of them, before the exit code is 1.",
    ),
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Also show what workers log.")]
