"""`swather worker`: the process that claims, scrapes and reports."""

import logging
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import typer

from swather.cli.arguments import (
    BatchSize,
    Concurrency,
    GraceSeconds,
    LeaseSeconds,
    MetricsPort,
    StrategyName,
)
from swather.cli.options import AsJSON, Database
from swather.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from swather.file_location import Location
    from swather.scraping.scraper import Scraper
    from swather.settings import Settings
    from swather.store.ports import Store
    from swather.worker import Worker

EXAMPLES: Final = """\
swather worker books.py --run 20260215_120000-books
swather worker books.py --forever --db postgresql://me@localhost/queue
swather worker books.py shops.py:dutch --concurrency 50 --strategy priority
swather worker states.py --forever --number 3"""


MAX_OPEN_RUNS: Final = 100
MAX_TOLD: Final = 10

_log = logging.getLogger(__name__)


class Level(StrEnum):
    """How much a worker logs."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def command(
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
        typer.Option("--run", metavar="RUN", help="Work only on this run. Default: all open runs."),
    ] = None,
    concurrency: Concurrency = None,
    batch_size: BatchSize = None,
    strategy: StrategyName = None,
    partitions: Annotated[
        str | None,
        typer.Option(
            "--partitions",
            metavar="A,B",
            help="Serve these partitions and no others, whatever the plan says. Default: those "
            "planned for --number, then any that no worker serves.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--number",
            min=0,
            max=99_999,
            metavar="K",
            help="The number of this worker in its fleet, 0, 1, 2, …: it serves the partitions "
            "that are planned for it.",
        ),
    ] = None,
    only_own: Annotated[
        bool,
        typer.Option("--only-own", help="Serve no partitions but those planned for --number."),
    ] = False,
    lease_seconds: LeaseSeconds = None,
    grace_seconds: GraceSeconds = None,
    poll_seconds: Annotated[
        float | None,
        typer.Option("--poll-seconds", metavar="SECONDS", help="How often to look for work."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The name of this worker.")
    ] = None,
    forever: Annotated[
        bool, typer.Option("--forever", help="Keep running when nothing is left to do.")
    ] = False,
    log_level: Annotated[Level, typer.Option("--log-level", help="How much to log.")] = Level.INFO,
    log_file: Annotated[
        Path | None,
        typer.Option(
            "--log-file",
            metavar="FILE",
            help="Log to this file, which is rotated, instead of stderr.",
        ),
    ] = None,
    log_targets: Annotated[
        bool | None,
        typer.Option(
            "--log-targets/--no-log-targets",
            help="Log a line for each target.",
            show_default=False,
        ),
    ] = None,
    metrics_port: MetricsPort = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Claim, scrape and report until nothing is left to do.

    Any number of workers can share a database, on this machine or on others; start and stop them
    at any time. A worker runs only code that is named or registered here. If only tasks of other
    scrapers are waiting, it says so and exits with code 2; with --forever it waits. The first
    SIGINT or SIGTERM finishes running targets and returns the rest; the second stops now.
    """
    from swather.cli import database
    from swather.fleet.duties import Duties, code_in
    from swather.runs import configuration
    from swather.runs.run_names import find_run
    from swather.worker import process

    if only_own and number is None:
        raise InputError("--only-own needs the number of this worker: --number K")
    options = {
        "db": db,
        "concurrency": concurrency,
        "batch_size": batch_size,
        "strategy": strategy,
        "lease_seconds": lease_seconds,
        "grace_seconds": grace_seconds,
        "poll_seconds": poll_seconds,
        "log_targets": log_targets,
        "metrics_port": metrics_port,
    }
    _begin_log(log_level, log_file, options)
    with database.opened(db) as store:
        settings = configuration.resolve(store, options).settings
        of_run = None if run is None else find_run(store, run)
        run = None if of_run is None else of_run.name
        code = _scrapers(store, scrapers or [], run)
        code = {
            name: configuration.apply(
                found, configuration.resolve(store, options, found, of_run).settings
            )
            for name, found in code.items()
        }
        code = _with_programs(code, settings, run)
        if run is None:
            _say_elsewhere(store.url)
            if not forever:
                _check_code(store, code)
    worker = _worker(
        settings,
        code,
        url=database.existing(db),
        run=run,
        partitions=tuple(partitions.split(",")) if partitions else None,
        number=number,
        only_own=only_own,
        forever=forever,
        name=name,
        as_json=as_json,
    )
    if not forever and process.has_parent():
        # Who started it looks after schedules and notices.
        return process.main(worker)
    # One on a single run ends with it, and makes no other.
    fires = code_in(code) if forever and run is None else None
    with Duties(database.existing(db), fires):
        return process.main(worker)


def _scrapers(store: "Store", specs: list[str], run: str | None) -> dict[str, "Scraper"]:
    """The code this worker has, by name; on one run it needs no other than the run's."""
    from swather.scraping.available import Available

    available = Available(specs)
    if run is not None:
        found = available.of(store.runs.get(run))
        return {found.name: found}
    scrapers = available.all()
    if not scrapers:
        raise InputError("no scraper is registered here; name the code: swather worker books.py")
    return scrapers


def _say_elsewhere(url: str) -> None:
    """A worker serves one database."""
    from swather.cli import database
    from swather.runs.databases import elsewhere
    from swather.scraping.registered import registered

    known = registered()
    others = elsewhere(known, url)
    others = {name: db for name, db in others.items() if known[name].db or known[name].file}
    if others:
        _log.info(
            "this worker serves %s; by swather.toml the runs of %s are elsewhere: swather worker "
            "NAME starts one for them",
            database.shown(url),
            ", ".join(others),
        )


def _with_programs(
    code: dict[str, "Scraper"], settings: "Settings", run: str | None
) -> dict[str, "Scraper"]:
    """Without the scrapers whose browser or Tor this machine lacks, or whose bucket refuses it:
    their targets would fail, and other machines may have it.
    """
    from functools import cache

    from swather.runs.programs import check_programs
    from swather.runs.storage import check_storage

    @cache
    def check_files(location: "Location") -> None:
        if note := check_storage(location, settings):
            _log.warning(note)

    kept: dict[str, Scraper] = {}
    for name, found in code.items():
        try:
            check_programs(found, settings)
            check_files(found.options.files_folder)
            kept[name] = found
        except (InputError, MissingExtra) as error:
            if run is not None or len(code) == 1:
                raise
            _log.warning("this worker leaves out %s: %s", name, error)
    return kept


def _check_code(store: "Store", code: "Collection[str]") -> None:
    """A worker that cannot do any of the waiting work says so, instead of "finished". One that
    runs forever says so itself, now and of each run that comes later.
    """
    from swather.model.run import RunState

    open_runs = store.runs.find(state=RunState.OPEN, limit=MAX_OPEN_RUNS)
    waiting: dict[str, int] = {}
    for run in open_runs:
        unfinished = store.runs.counts(run.name).unfinished
        if run.scraper in code and unfinished:
            return
        if unfinished:
            waiting[run.scraper] = waiting.get(run.scraper, 0) + unfinished
    strangers = {name: number for name, number in waiting.items() if name not in code}
    if strangers:
        raise InputError(_no_code(strangers, code))


def _no_code(strangers: dict[str, int], code: "Collection[str]") -> str:
    from swather.runs.words import count

    told = [f"{name!r} ({count(number, 'task')})" for name, number in sorted(strangers.items())]
    more = ", …" if len(told) > MAX_TOLD else ""
    return (
        f"tasks are waiting for scrapers that this worker does not have the code for: "
        f"{', '.join(told[:MAX_TOLD])}{more}. It has the code for {', '.join(sorted(code))}. Name "
        "the file or module: swather worker FILE.py, or MODULE:NAME"
    )


def _worker(
    settings: "Settings", scrapers: dict[str, "Scraper"], *, as_json: bool, **given: Any
) -> "Worker":
    from swather.cli import output
    from swather.fleet.worker_factory import new_worker
    from swather.worker import Worker, WorkerReport

    class Reporting(Worker):
        def run(self, on_stuck: "Callable[[], None]" = lambda: None) -> WorkerReport:
            from swather.runs.json_names import named

            report = super().run(on_stuck)
            if as_json:
                output.print_json(named(report))
                sys.stdout.flush()
            return report

    return new_worker(settings, scrapers, Reporting, **given)


class _Formatter(logging.Formatter):
    """Records of a scraper say which task they are about."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        task = getattr(record, "task", None)
        return text if task is None else f"{text} [task {task}]"


def _begin_log(level: Level, file: Path | None, options: dict[str, Any]) -> None:
    handler = logging.StreamHandler(sys.stderr) if file is None else _own_log(file, options)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    if level is Level.WARNING:
        # What a scraper says of itself is meant to be seen.
        logging.getLogger("swather.scraper").setLevel(logging.INFO)


def _own_log(file: Path, options: dict[str, Any]) -> "logging.StreamHandler[TextIO]":
    """Before the database is opened, whose settings say nothing about files."""
    from swather.fleet.own_log import OwnLog
    from swather.runs import configuration

    settings = configuration.resolve(None, options).settings
    try:
        return OwnLog(file, max_bytes=int(settings.log_file_mb * 1e6), keep=settings.log_files)
    except OSError as error:
        raise InputError(f"cannot log to {file}: {error.strerror or error}") from error
