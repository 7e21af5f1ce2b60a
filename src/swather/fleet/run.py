"""A whole run in this process, for scripts and notebooks."""

import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from swather.errors import InputError
from swather.file_location import from_here
from swather.fleet.driver import Driven, RunDriver
from swather.fleet.inprocess import InProcess
from swather.fleet.result import RunResult
from swather.fleet.worker_factory import new_worker
from swather.runs import configuration
from swather.runs.order import Order
from swather.runs.source import Values
from swather.runs.view import Silent, View, view_on
from swather.scraping import registry
from swather.scraping.option_checks import Isolation
from swather.scraping.scraper import Scraper
from swather.store import factory

__all__ = ["RunResult", "run"]


def run(
    scraper: Scraper | str,
    targets: Iterable[Any] = (),
    *,
    db: str | None = None,
    params: Mapping[str, Any] | None = None,
    concurrency: int | None = None,
    output: Path | str | None = None,
    files_folder: Path | str | None = None,
    resume: str | None = None,
    new: bool = False,
    limit: int | None = None,
    max_seconds: float | None = None,
    grace_seconds: float | None = None,
    lease_seconds: float | None = None,
    progress: bool = True,
) -> RunResult:
    """Scrape targets in this process, with one worker thread, and return when it is done.

    scraper       a scraper, or what names one on the command line ('books.py')
    targets       any JSON values, or Targets; they may come from a generator
    db            the database; unless a setting names one either, a temporary one that lasts as
                  long as the result
    params        the scraper's parameters, over those of swather.toml
    concurrency   how many targets run at a time
    output        a .jsonl file that is written live, or a .json, .csv, .xlsx or .parquet file
                  that is written at the end
    files_folder  folder for files that the scraper saves
    resume, new   resume a run by its name, or start a new one in any case
    limit         at most this many targets in the run, including those that it finds itself
    max_seconds   stop after this time; with the same `db`, the same call resumes from there
    grace_seconds, lease_seconds  the settings of these names
    progress      show a progress bar

    Anything not given here comes from the settings: SWATHER_* in the environment, .env, the
    settings row of the database, swather.toml.

    The same call on the same `db` resumes where it stopped, and returns at once when all is done.
    Targets from a generator cannot be compared, and start a new run. The first interrupt
    (Ctrl-C) lets running targets finish; the second stops now. The interrupt is then raised.
    """
    registry.refuse_while_loading("swather.run")
    options = {
        "db": db or None,
        "concurrency": concurrency,
        # A scraper may change the current folder.
        "files_folder": None if files_folder is None else from_here(files_folder),
        "grace_seconds": grace_seconds,
        "lease_seconds": lease_seconds,
    }
    output = None if output is None else Path(output).absolute()
    if isinstance(scraper, str):
        scraper = registry.load(scraper)
    found = configuration.resolve(None, options, scraper)
    temporary = None if "db" in found.origins else Path(tempfile.mkdtemp(prefix="swather-"))
    url = f"sqlite:///{temporary}/swather.db" if temporary else found.settings.db
    try:
        source = Values(targets, limit=limit)
        check_isolation(scraper)
        order = Order(
            scraper=scraper,
            source=source,
            options={**options, "db": factory.located(url)},
            params=params or {},
            output=output,
            resume=resume,
            new=new or not (source.is_repeatable or resume),
            is_alone=temporary is not None,
        )
        driven = _driven(order, max_seconds, progress_view(wanted=progress)).whole()
    except BaseException:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    return RunResult(driven.summary, temporary=temporary)


def check_isolation(scraper: Scraper) -> None:
    """Refuse now what every target would fail at."""
    if scraper.isolation is not Isolation.PROCESS:
        return
    names = vars(sys.modules.get(scraper.function.__module__, object))
    if scraper.spec.startswith("__main__:"):
        where = "in a notebook or an interactive session"
    elif not any(
        isinstance(value, Scraper) and value.function is scraper.function
        for value in names.values()
    ):
        where = "inside a function"
    else:
        return
    raise InputError(
        f"scraper {scraper.name!r} has isolation='process', and a child process cannot import it "
        f"because it is defined {where}; write it to a file (in a notebook: "
        f"%%writefile {scraper.name}.py) and call swather.run('{scraper.name}.py', ...), or leave "
        "isolation out"
    )


def _driven(order: Order, max_seconds: float | None, view: View) -> Driven:
    with RunDriver(order) as driver:
        if driver.take_up():
            code = {driver.scraper.name: driver.scraper}
            worker = new_worker(driver.settings, code, url=driver.settings.db, run=driver.run.name)
            driver.work(InProcess(worker), view, max_seconds=max_seconds)
        return driver.finish()


def progress_view(*, wanted: bool) -> View:
    if not wanted:
        return Silent()
    from swather.runs.console import PlainConsole  # noqa: PLC0415 - only where it is shown

    return view_on(PlainConsole(stderr=True))
