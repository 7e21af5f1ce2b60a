"""Arguments and options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer


class StrategyChoice(StrEnum):
    """The strategies, without all that their own module loads."""

    FIFO = "fifo"
    LIFO = "lifo"
    PRIORITY = "priority"
    WEIGHTED_RANDOM = "weighted_random"


ScraperSpec = Annotated[
    str,
    typer.Argument(
        metavar="SCRAPER",
        help="A registered name, file.py, file.py:name, module:name or site.toml.",
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "-p", "--param", metavar="NAME=VALUE", help="A parameter of the scraper. Repeatable."
    ),
]
Resume = Annotated[str | None, typer.Option("--resume", metavar="RUN", help="Resume this run.")]
New = Annotated[
    bool, typer.Option("--new", help="Start a new run even if this command started one before.")
]
KeepOpen = Annotated[
    bool,
    typer.Option(
        "--keep-open",
        help="Do not finish the run when its targets are done: more will be added, until "
        "`swather runs close`.",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency", min=1, metavar="N", help="Concurrent targets per worker; default 10."
    ),
]
BatchSize = Annotated[
    int | None,
    typer.Option("--batch-size", min=1, metavar="N", help="Tasks claimed at a time."),
]
LeaseSeconds = Annotated[
    float | None,
    typer.Option(
        "--lease-seconds",
        metavar="SECONDS",
        help="Seconds after which a silent worker loses its tasks to others.",
    ),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        "--metrics-port",
        min=0,
        max=65_535,
        metavar="N",
        help="Serve the worker's own metrics to Prometheus, on this port plus the number of the "
        "worker; 0: off.",
    ),
]
GraceSeconds = Annotated[
    float | None,
    typer.Option(
        "--grace-seconds",
        metavar="SECONDS",
        help="Seconds for running targets to finish when a worker is stopped.",
    ),
]
StrategyName = Annotated[
    StrategyChoice | None, typer.Option("--strategy", help="The order in which tasks are taken.")
]
RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The run's name, or a scraper's: its newest run."),
]
RunOrNewest = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN", help="The run's name, or a scraper's: its newest run. Default: the newest."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, without doing it.")
]
WorkerCount = Annotated[
    int | None,
    typer.Option("--workers", min=1, metavar="N", help="Worker processes; default 1."),
]
MaxTime = Annotated[
    str | None, typer.Option("--max-time", metavar="TIME", help="Stop after 90s, 15m, 2h or 1d.")
]
MaxFailed = Annotated[
    str,
    typer.Option(
        "--max-failed",
        metavar="N|P%",
        help="How many targets, or what share of them, may fail before the exit code is 1.",
    ),
]
OutputDir = Annotated[
    str | None,
    typer.Option(
        "--output-dir",
        metavar="DIR",
        help="Folder for files that the scraper saves, or s3://bucket/prefix. Default: the setting "
        "files_folder, then the scraper's own, then ./files.",
    ),
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Also show what workers log.")]
