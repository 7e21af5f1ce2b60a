"""`swather start`: a scraper, here or by workers anywhere, as its execution mode says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.amounts import max_failed_of, seconds_of
from swather.cli.arguments import (
    Concurrency,
    KeepOpen,
    MaxFailed,
    MaxTime,
    New,
    OutputDir,
    Parameters,
    Verbose,
)
from swather.cli.options import AsJSON, Database, Server
from swather.cli.scraper_options import ScraperCommand
from swather.cli.target_arguments import takes_targets
from swather.errors import InputError

if TYPE_CHECKING:
    from swather.runs.source import Source
    from swather.scraping.scraper import Scraper

EXAMPLES: Final = """\
swather start books
swather start books https://example.com/new --keep-open
swather start India --targets urls.txt --json | jq -r .worker_command
swather start Russia --resume
swather start India --targets urls.txt --server https://swather.example.com"""

_RESUME: Final = "--resume"
# What stands for the newest run of the scraper, which no run can be called.
_NEWEST: Final = ""


class StartCommand(ScraperCommand):
    """--resume may be followed by a run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)
        if _RESUME in given:
            after = given.index(_RESUME) + 1
            if after == len(given) or given[after].startswith("-"):
                given.insert(after, _NEWEST)
        return super().parse_args(ctx, given)


KIND: Final = StartCommand


@takes_targets
def command(
    scraper: Annotated[
        str,
        typer.Argument(
            metavar="SCRAPER",
            help="A registered name, file.py, file.py:name, module:name or site.toml.",
        ),
    ],
    source: "Source",
    params: Parameters = None,
    resume: Annotated[
        str | None,
        typer.Option(
            _RESUME, metavar="[RUN]", help="Resume this run. Default: the scraper's newest."
        ),
    ] = None,
    new: New = False,
    keep_open: KeepOpen = False,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="single: wait while another process executes the run."),
    ] = False,
    concurrency: Concurrency = None,
    max_time: MaxTime = None,
    max_failed: MaxFailed = "0",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="single: as in `swather run`."),
    ] = None,
    output_dir: OutputDir = None,
    verbose: Verbose = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> int:
    """Start a scraper, here or for workers anywhere.

    Its execution_mode decides, in its table [scrapers.NAME] of swather.toml or in its decorator.
    single: it is executed here, in one process, like `swather run`; a second start of the same run
    is refused while this one lasts. distributed: the targets are loaded, and the answer is the
    command that starts workers. Without targets, those that its table names are used. The same
    command again resumes the run, or adds the targets that it does not have yet.

    With --server, a new run of a scraper that is registered there is started, for workers of that
    server's database.
    """
    from dataclasses import replace

    from swather.runs import configuration
    from swather.scraping import registry
    from swather.scraping.option_checks import ExecutionMode

    if server is not None:
        from swather.cli.remote_start import start_there

        _refuse_there(
            resume=resume, wait=wait, concurrency=concurrency, max_time=max_time, output=output,
            output_dir=output_dir, max_failed=None if max_failed == "0" else max_failed,
        )  # fmt: skip
        return start_there(
            server, scraper, source, params or [], keep_open=keep_open, as_json=as_json
        )
    found = registry.load(scraper)
    if resume is not None and new:
        raise InputError("--resume and --new exclude each other")
    if resume is None:
        source = source.or_start_of(found)
    if source.is_empty and resume is None and (file := _file_of(found, scraper)) is not None:
        source = replace(source, files=(file,))
    asked: dict[str, Any] = {
        "spec": scraper,
        "source": source,
        "params": params or [],
        "resume": found.name if resume == _NEWEST else resume,
        "new": new,
        "keep_open": keep_open,
    }
    options = {"db": db, "concurrency": concurrency, "files_folder": output_dir}
    if configuration.execution_mode(found) is ExecutionMode.DISTRIBUTED:
        _refuse_here(
            found, wait=wait, concurrency=concurrency, max_time=max_time, output=output,
            verbose=verbose, max_failed=None if max_failed == "0" else max_failed,
        )  # fmt: skip
        return _distribute(found, db, options, as_json=as_json, **asked)
    from swather.cli.single_session import SingleSession

    session = SingleSession(
        **asked,
        options=options,
        max_seconds=None if max_time is None else seconds_of(max_time, option="--max-time"),
        max_failed=max_failed_of(max_failed),
        output=output,
        retry=None,
        wait=wait,
        verbose=verbose,
        as_json=as_json,
    )
    return session.run()


def _file_of(found: "Scraper", spec: str) -> str | None:
    """The file of targets that the scraper's table names; None if it has targets of its own."""
    from swather.scraping.registered import registered

    known = registered().get(found.name)
    if known is None or known.targets is None:
        if found.options.targets is not None:
            return None
        raise InputError(
            f"nothing to scrape: swather start {spec} URL…, or --targets FILE (- for stdin), or "
            f"targets = FILE under [scrapers.{found.name}] in swather.toml"
        )
    return str(known.targets)


def _refuse_there(**given: Any) -> None:
    """Refuse options that mean something here only."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise InputError(f"--{name.replace('_', '-')} cannot go to a server; leave it out")


def _refuse_here(found: "Scraper", **given: Any) -> None:
    """Refuse options that have no effect where others execute the run."""
    for name, value in given.items():
        if value:
            raise InputError(
                f"--{name.replace('_', '-')} is only for execution_mode single; {found.name!r} is "
                "distributed: workers execute it"
            )


def _distribute(
    found: "Scraper",
    db: str | None,
    options: dict[str, Any],
    *,
    spec: str,
    as_json: bool,
    **asked: Any,
) -> int:
    from swather.cli import output, queueing
    from swather.cli.single_session import started_data
    from swather.runs.order import Order
    from swather.runs.own_targets import own_targets

    if asked["source"].is_empty and asked["resume"] is None:
        asked["source"] = own_targets(found, asked["params"], options, asked["source"])
    queued = queueing.queue(Order(scraper=found, options=options, **asked), spec, db)
    if as_json:
        output.print_json({**started_data(queued.started), **queueing.as_data(queued, db)})
    else:
        queueing.show(queued)
    return 0
