"""`swather fleet …`: workers that are kept running, here or elsewhere."""

from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli import fleet_check, fleet_logs, fleet_orders, fleet_status, fleet_wanted
from swather.cli.arguments import (
    BatchSize,
    Concurrency,
    GraceSeconds,
    LeaseSeconds,
    MetricsPort,
    StrategyName,
)
from swather.cli.confirm import Yes
from swather.cli.group import command_in, group_of_commands
from swather.cli.options import AsJSON, Database
from swather.errors import InputError
from swather.fleet.placement import Place

group = group_of_commands(
    "Keep workers running: start, watch, scale, restart and stop them.\n\n"
    "A fleet has one supervisor, which keeps the wanted number of workers running, restarts those "
    "that crash and logs what happens. All commands but `up` reach it through the database, from "
    "any machine."
)

UP: Final = """\
swather fleet up books.py --workers 8
swather fleet up --run 20260215_120000-books --workers 4 --yes
swather fleet up states.py --test
swather fleet up books.py --autoscale --max 20
swather fleet up books.py --on ray --workers 16
swather fleet up books.py --workers 8 --yes --detach --db postgresql://me@localhost/queue"""


@command_in(group, "up", UP)
def up(
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
        typer.Option(
            "--run", metavar="RUN", help="Work only on this run, and end with it. Default: all."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="How many; default: the setting."),
    ] = None,
    on: Annotated[
        Place, typer.Option("--on", help="Where: processes of this machine, or a Ray cluster.")
    ] = Place.LOCAL,
    autoscale: Annotated[
        bool, typer.Option("--autoscale", help="Let the number of workers follow the work.")
    ] = False,
    minimum: Annotated[
        int | None,
        typer.Option(
            "--min", min=0, metavar="N", help="The fewest with --autoscale; default: min_workers."
        ),
    ] = None,
    maximum: Annotated[
        int | None,
        typer.Option(
            "--max", min=1, metavar="N", help="The most with --autoscale; default: max_workers."
        ),
    ] = None,
    test: fleet_check.Test = False,
    yes: Yes = False,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="The fleet's name; default: this host's."),
    ] = None,
    detach: Annotated[bool, typer.Option("-d", "--detach", help="Run in the background.")] = False,
    log_folder: Annotated[
        Path | None,
        typer.Option(
            "--log-folder",
            metavar="FOLDER",
            help="Where its logs go; default: .swather/logs/fleet-NAME.",
        ),
    ] = None,
    concurrency: Concurrency = None,
    batch_size: BatchSize = None,
    strategy: StrategyName = None,
    lease_seconds: LeaseSeconds = None,
    grace_seconds: GraceSeconds = None,
    metrics_port: MetricsPort = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Start workers and keep them running.

    First checks what they need, shows who would do what and how long that would take, and asks;
    `swather fleet check` does only that. With a problem nothing is started.

    The workers start a few seconds apart. One that crashes is restarted, at most five times an
    hour; its tasks go to the others meanwhile. `swather settings set max_workers N` and
    `swather fleet scale N` change their number at any time.

    The first Ctrl-C lets running targets finish, the second stops now. If the supervisor itself
    dies, its workers finish what they are doing and stop; the same command starts them again.
    """
    from swather.cli.autoscale_options import Autoscale
    from swather.cli.fleet_session import FleetSession, default_name

    if test and (workers is not None or autoscale):
        raise InputError("--test has two workers; leave --workers and --autoscale out")
    given = {
        "--concurrency": concurrency,
        "--batch-size": batch_size,
        "--strategy": None if strategy is None else str(strategy),
        "--lease-seconds": lease_seconds,
        "--grace-seconds": grace_seconds,
        "--metrics-port": metrics_port,
    }
    session = FleetSession(
        scrapers=scrapers or [],
        run=run,
        name=name or default_name(),
        options={
            "db": db,
            "workers": workers,
            "concurrency": concurrency,
            "lease_seconds": lease_seconds,
            "grace_seconds": grace_seconds,
        },
        worker_options=given,
        only_own=test,
        place=on,
        autoscale=Autoscale.given(on=autoscale, minimum=minimum, maximum=maximum),
        yes=yes,
        log_folder=log_folder,
        detach=detach,
        db=db,
        as_json=as_json,
    )
    return session.begin()


command_in(
    group,
    "check",
    """\
swather fleet check books.py --workers 8
swather fleet check --run 20260215_120000-books --test
swather fleet check --json | jq .estimate""",
)(fleet_check.check)

command_in(
    group,
    "status",
    """\
swather fleet status
swather fleet status --watch
swather fleet status --json | jq '.[].workers'""",
)(fleet_status.show_status)

command_in(
    group,
    "logs",
    """\
swather fleet logs
swather fleet logs 3 --follow
swather fleet logs supervisor
swather fleet logs proxies --limit 200""",
)(fleet_logs.show_logs)

command_in(
    group,
    "scale",
    """\
swather fleet scale 8
swather fleet scale 0 --name nightly""",
)(fleet_orders.scale)

command_in(
    group,
    "wanted",
    """\
swather fleet wanted
swather fleet wanted books --max 50
swather fleet wanted --json | jq .wanted""",
)(fleet_wanted.show_wanted)

command_in(
    group,
    "restart",
    """\
swather fleet restart
swather fleet restart --name nightly""",
)(fleet_orders.restart)

command_in(
    group,
    "down",
    """\
swather fleet down
swather fleet down --now
swather fleet down --all""",
)(fleet_orders.down)
