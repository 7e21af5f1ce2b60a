"""`swather retry`: ended tasks made ready again, and run again with --run."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.amounts import max_failed_of, seconds_of
from swather.cli.arguments import (
    Concurrency,
    DryRun,
    MaxFailed,
    MaxTime,
    RunName,
    Verbose,
    WorkerCount,
)
from swather.cli.options import AsJSON, Database, Server
from swather.cli.task_filter_options import (
    ErrorClassName,
    Group,
    Lane,
    Reasons,
    States,
    TaskNumbers,
)
from swather.errors import InputError

if TYPE_CHECKING:
    from swather.model.run import Run
    from swather.model.task_filter import TaskFilter

EXAMPLES: Final = """\
swather retry books books.py --run
swather retry 20260215_120000-books --reason timeout --dry-run
swather retry books --state cancelled --state failed"""


def command(
    run: RunName,
    scraper: Annotated[
        str | None,
        typer.Argument(
            metavar="SCRAPER",
            help="With --run, the code to run: file.py, file.py:name, module:name or site.toml. "
            "Not needed for a registered scraper.",
        ),
    ] = None,
    state: States = None,
    reason: Reasons = None,
    error_class: ErrorClassName = None,
    group: Group = None,
    lane: Lane = None,
    task: TaskNumbers = None,
    work: Annotated[
        bool, typer.Option("--run", help="Also start workers, and return when the run is over.")
    ] = False,
    workers: WorkerCount = None,
    concurrency: Concurrency = None,
    max_time: MaxTime = None,
    max_failed: MaxFailed = "0",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where the items go, as in `swather run`."
        ),
    ] = None,
    dry_run: DryRun = False,
    verbose: Verbose = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> int:
    """Retry tasks that have ended.

    Failed tasks, unless --state or --task says otherwise. They get a fresh retry budget, and their
    new results replace the old ones. The run is reopened: workers continue it, or with --run this
    command does, like `swather run`, with the same progress, summary and exit codes.
    """
    from swather.cli import database
    from swather.model.task import TERMINAL, State
    from swather.runs.fresh_chance import close_breakers
    from swather.runs.selection import run_named, task_filter

    if wrong := [one for one in state or [] if one not in TERMINAL]:
        raise InputError(f"only ended tasks can be retried, not {wrong[0]} ones")
    if server is not None:
        _refuse_without_run(scraper, workers, concurrency, max_time, output, work=False)
        if work:
            raise InputError("--run starts workers here, on a database: leave --server out")
        which_there = {
            "state": state,
            "reason": reason,
            "error_class": error_class,
            "group": group,
            "lane": lane,
            "task": task,
        }
        _retry_there(server, run, which_there, dry_run=dry_run, as_json=as_json)
        return 0
    with database.opened(db) as store:
        found = run_named(store, run)
        which = task_filter(
            store,
            found.name,
            states=state or (sorted(TERMINAL) if task else [State.FAILED]),
            reasons=reason,
            error_class=error_class,
            group=group,
            lane=lane,
            tasks=task,
        )
        if not work or dry_run:
            _refuse_without_run(scraper, workers, concurrency, max_time, output, work=work)
            number = store.tasks.count(which) if dry_run else store.tasks.retry(which)
            closed = 0
            if number and not dry_run:
                closed = close_breakers(store, found.scraper)
                store.hints.send()
            _report(found, number, closed, db, dry_run=dry_run, as_json=as_json)
            return 0
    return _run(
        found,
        scraper,
        which,
        options={"db": db, "workers": workers, "concurrency": concurrency},
        max_seconds=None if max_time is None else seconds_of(max_time, option="--max-time"),
        max_failed=max_failed_of(max_failed),
        output=output,
        verbose=verbose,
        as_json=as_json,
    )


def _retry_there(
    server: str, run: str, which: dict[str, Any], *, dry_run: bool, as_json: bool
) -> None:
    from swather.cli import output
    from swather.cli.remote import client_of, given_of
    from swather.runs.words import count

    client = client_of(server)
    answer = client.tasks.retry(run, dry_run=dry_run, **given_of(which))
    client.wait(answer)
    name, number = answer["run"], answer["retried"]
    if as_json:
        output.print_json({"run": name, "retried": number, "dry_run": dry_run})
        return
    would = "would be " if dry_run else ""
    print(f"run {name}: {count(number, 'task')} {would}ready again")


def _refuse_without_run(*given: Any, work: bool) -> None:
    if not work and any(each is not None for each in given):
        raise InputError("SCRAPER, --workers, --concurrency, --max-time and -o need --run")


def _run(found: "Run", scraper: str | None, which: "TaskFilter", **given: Any) -> int:
    from swather.cli.run_session import RunSession
    from swather.runs.source import Source
    from swather.scraping.available import Available

    spec = scraper or Available().of(found).spec
    session = RunSession(
        spec=spec, source=Source(), params=[], resume=found.name, new=False, retry=which, **given
    )
    return session.run()


def _report(
    found: "Run", number: int, closed: int, db: str | None, *, dry_run: bool, as_json: bool
) -> None:
    from swather.cli import database, output
    from swather.cli.selection import worker_command
    from swather.runs import code_words
    from swather.runs.words import count

    if as_json:
        output.print_json({"run": found.name, "retried": number, "dry_run": dry_run})
        return
    would = "would be " if dry_run else ""
    print(f"run {found.name}: {count(number, 'task')} {would}ready again")
    if closed:
        print(f"{count(closed, 'circuit breaker')} of {found.scraper} closed for another chance")
    if not number or dry_run:
        return
    code = code_words.argument(found)
    about = code_words.explained(found)
    print(f"to run them, repeat the command that started the run, or{about and f' ({about})'}:")
    again = shlex.join(["swather", "run", *(code or [found.scraper]), "--resume", found.name])
    print(f"    {database.with_db(again, db)}")
    print(f"    {worker_command(found, code, db)}")
