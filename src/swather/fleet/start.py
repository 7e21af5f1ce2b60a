"""Start a scraper from Python, here or for workers anywhere, as its execution mode says."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from swather.errors import InputError, RunLocked
from swather.fleet.driver import RunDriver
from swather.fleet.inprocess import InProcess
from swather.fleet.run import check_isolation, progress_view
from swather.fleet.worker_factory import new_worker
from swather.runs import configuration
from swather.runs.order import Order
from swather.runs.own_targets import OwnTargets, own_targets
from swather.runs.queued_run import QueuedRun
from swather.runs.run_lock import wait_until_free
from swather.runs.source import Source, Values
from swather.runs.starting import Started, queued_answer, single_answer
from swather.runs.view import View
from swather.scraping import registry
from swather.scraping.option_checks import ExecutionMode
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper
from swather.store import factory

__all__ = ["Started", "start"]


def start(
    scraper: Scraper | str,
    targets: Iterable[Any] | None = None,
    *,
    urls: Iterable[Any] | None = None,
    db: str | None = None,
    params: Mapping[str, Any] | None = None,
    output: Path | str | None = None,
    resume: str | bool = False,
    new: bool = False,
    keep_open: bool = False,
    wait: bool = False,
    progress: bool = True,
) -> Started:
    """Start a scraper as its execution_mode says, in its table [scrapers.NAME] of swather.toml or
    in its decorator. `swather start` does the same from the command line.

    single       runs it in this process, and returns when it is done. RunLocked if another process
                 of this machine executes the same run; with `wait`, it is waited for.
    distributed  loads the targets for workers anywhere, and returns at once; `worker_command` of
                 the answer starts one.

    scraper   a registered name, or what else names a scraper on the command line, or a scraper
    targets   any JSON values, or Targets; by default the file that its table names
    urls      another name for targets
    db        the database; by default that of its table or of the settings, else swather.db in this
              folder
    params    the scraper's parameters, over those of swather.toml
    output    for single: a file that the items go to
    resume    a run's name, or True for the scraper's newest run
    new       start a new run in any case; otherwise the same call resumes the same run
    keep_open  do not finish the run when its targets are done: more will be added
    progress  for single: show a progress bar
    """
    registry.refuse_while_loading("swather.start")
    if targets is not None and urls is not None:
        raise InputError("urls is another name for targets; give one of them")
    found = registry.load(scraper) if isinstance(scraper, str) else scraper
    settings = configuration.resolve(None, {"db": db}, found).settings
    source = _source(
        found, urls if targets is None else targets, params or {}, db, is_resumed=bool(resume)
    )
    order = Order(
        scraper=found,
        source=source,
        options={"db": factory.located(settings.db)},
        params=params or {},
        output=None if output is None else Path(output).absolute(),
        resume=found.name if resume is True else resume or None,
        new=new or (not resume and isinstance(source, Values) and not source.is_repeatable),
        keep_open=keep_open,
    )
    if configuration.execution_mode(found) is ExecutionMode.DISTRIBUTED:
        if wait or output is not None:
            raise InputError(
                f"wait and output are only for execution_mode single; {found.name!r} is "
                "distributed: workers execute it"
            )
        with QueuedRun(order) as queued:
            code = scraper if isinstance(scraper, str) else scraper.spec
            return queued_answer(queued, queued.load(), code, db or settings.db)
    check_isolation(found)
    hint = "wait=True waits for it, new=True starts another run"
    view = progress_view(wanted=progress)
    with single_driver(order, hint, view.say if wait else None) as driver:
        return _executed(driver, view)


def single_driver(order: Order, hint: str, on_wait: Callable[[str], None] | None) -> RunDriver:
    """The driver of a run that no other process of this machine executes. If one does, `on_wait`
    is told who, and it is waited for; without `on_wait`, RunLocked ends with the `hint`.
    """
    order = replace(order, is_single=True)
    while True:
        try:
            return RunDriver(order)
        except RunLocked as locked:
            if on_wait is None:
                raise RunLocked(f"{locked}; {hint}", locked.lock) from locked
            on_wait(f"{locked}; waiting for it")
            wait_until_free(locked.lock)


def _source(
    scraper: Scraper,
    targets: Iterable[Any] | None,
    params: Mapping[str, Any],
    db: str | None,
    *,
    is_resumed: bool,
) -> Source | Values | OwnTargets:
    if targets is not None:
        return Values(targets)
    if is_resumed:
        return Source()
    known = registered().get(scraper.name)
    if known is None or known.targets is None:
        if (own := own_targets(scraper, params, {"db": db})) is not None:
            return own
        raise InputError(
            f"nothing to scrape: give targets, or name their file: targets = FILE under "
            f"[scrapers.{scraper.name}] in swather.toml"
        )
    return Source(files=(str(known.targets),))


def _executed(driver: RunDriver, view: View) -> Started:
    loaded = None
    if driver.take_up():
        code = {driver.scraper.name: driver.scraper}
        worker = new_worker(driver.settings, code, url=driver.settings.db, run=driver.run.name)
        loaded = driver.work(InProcess(worker), view).loaded
    summary = driver.finish().whole().summary
    return single_answer(summary.run, summary.state, loaded)
