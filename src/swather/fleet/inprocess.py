"""A whole run in this process, for scripts and notebooks."""

import json
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import swather.store
from swather.errors import DatabaseUnusable, StoreError
from swather.fleet.result import RunResult
from swather.fleet.workers import new_worker
from swather.model.load import Load, unrepeatable
from swather.model.run import Run, RunState
from swather.runs import configured
from swather.runs.export import Format, check_format, export, format_of
from swather.runs.intake import Intake
from swather.runs.live import LiveExporter
from swather.runs.load import load
from swather.runs.loading import anything_new
from swather.runs.progress import Watcher
from swather.runs.results_file import set_aside
from swather.runs.start import plan_run
from swather.runs.summary import summarise
from swather.runs.targets import Line, from_values
from swather.runs.view import Silent, View, view_on
from swather.scraping import registry
from swather.scraping.scraper import Scraper
from swather.store import Store, factory
from swather.worker import Worker, WorkerReport

__all__ = ["RunResult", "run"]

LOOK_SECONDS: Final = 0.2
FIRST_STEPS_SECONDS: Final = 0.2
BATCH_SIZE: Final = 1_000


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
    """Scrape targets here, with one worker in a thread of its own, and return when it is done.

    scraper       a scraper, or what names one on the command line ('books.py')
    targets       any JSON values, or Targets; they may come from a generator
    db            the database; unless a setting names one either, a temporary one that lasts as
                  long as the result
    params        the scraper's parameters, over those of swather.toml
    concurrency   how many targets at a time
    output        a .jsonl file that is written live, or a .csv or .parquet file
    files_folder  where files go that the scraper saves
    resume, new   go on with a run by its name, or begin a new one in any case
    limit         at most so many targets in the run, those that it finds itself included
    max_seconds   stop after this time; with the same `db`, the same call goes on from there
    grace_seconds, lease_seconds  as the settings of these names
    progress      show how it goes

    What is not given here is as the settings say: SWATHER_* in the environment, .env, the settings
    row of the database, swather.toml.

    The same call on the same `db` goes on where it stopped, and returns at once when all is done;
    a generator's targets cannot be told to be the same and begin a new run. An interrupt
    (Ctrl-C) lets running targets end, a second one does not, and is then raised.
    """
    registry.refuse_while_loading("swather.run")
    # A scraper may change the current folder.
    output = None if output is None else Path(output).absolute()
    options = {
        "db": db or None,
        "concurrency": concurrency,
        "files_folder": None if files_folder is None else Path(files_folder).absolute(),
        "grace_seconds": grace_seconds,
        "lease_seconds": lease_seconds,
    }
    found = configured.resolved(None, options)
    made = registry.load(scraper) if isinstance(scraper, str) else scraper
    configured.params_of(made, params or {}, found.settings)
    if output is not None:
        check_format(format_of(output))
    temporary = None if "db" in found.origins else Path(tempfile.mkdtemp(prefix="swather-"))
    url = f"sqlite:///{temporary}/swather.db" if temporary else found.settings.db
    url = factory.located(url)
    is_known = isinstance(targets, Collection) and not isinstance(targets, str | bytes)
    targets = [targets] if isinstance(targets, str | bytes) else targets
    store = swather.store.open(url)
    try:
        held = configured.resolved(store, options).settings
        made = configured.applied(made, held)
        fingerprint = _fingerprint(targets, limit) if is_known else ""
        intake = Intake(made, _paced(from_values(targets)), limit=limit, load=_load_of(fingerprint))
        if is_known:
            intake.check(BATCH_SIZE)
        planned = plan_run(
            store,
            made,
            params=configured.params_of(made, params or {}, held),
            source_fingerprint=fingerprint,
            source="Python",
            resume=resume,
            new=new or not (is_known or resume),
            task_limit=limit,
            default_rate=held.default_rate,
        )
        worker = new_worker(held, {made.name: made}, url=url, run=planned.run.name)
        with _Results(store, planned.run, output):
            if not planned.finished or anything_new(store, planned.run.name, intake):
                with _view(progress) as view:
                    _InProcess(store, planned.run, worker, view, max_seconds).work(intake)
        return RunResult(summarise(store, planned.run.name), temporary=temporary)
    finally:
        store.close()


class _InProcess:
    """A worker in a thread, another that shows how it goes; targets are loaded in the caller's."""

    def __init__(
        self, store: Store, run: Run, worker: Worker, view: View, max_seconds: float | None
    ) -> None:
        self._store = store
        self._run = run
        self._worker = worker
        self._view = view
        self._max_seconds = max_seconds
        self._stop = threading.Event()
        self._working = threading.Thread(target=self._work, name="swather-worker", daemon=True)
        self._showing = threading.Thread(target=self._show, name="swather-progress", daemon=True)
        self._error: BaseException | None = None
        self._has_begun = False

    def work(self, intake: Intake) -> None:
        try:
            # The worker begins with the first targets: before them it would find nothing to do.
            load(
                self._store,
                self._run.name,
                intake,
                on_progress=lambda _: self._begin(),
                stop=self._stop,
                batch_size=BATCH_SIZE,
            )
            self._begin()
            self._join()
        except BaseException:
            self._end()
            raise
        if self._error is not None:
            raise self._error
        if self._store.runs.get(self._run.name).state is RunState.OPEN:
            self._store.runs.settle(self._run.name)

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._working.start()
            # Loading on at once would hold up its first steps, which are many and short.
            self._worker.begun.wait(FIRST_STEPS_SECONDS)
            self._showing.start()

    def _join(self) -> None:
        """In short steps, so that an interrupt is heard."""
        while self._working.is_alive():
            self._working.join(LOOK_SECONDS)
        self._showing.join()

    def _end(self) -> None:
        self._stop.set()
        self._worker.stop()
        if not self._has_begun:
            return
        try:
            self._join()
        except KeyboardInterrupt:
            self._worker.stop(now=True)
            self._join()

    def _work(self) -> None:
        try:
            report = self._worker.run()
            while _should_go_on(report):
                report = self._worker.run()
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self._error = error
        finally:
            self._stop.set()

    def _show(self) -> None:
        store = self._store.another()
        give_up_at = time.monotonic() + (
            float("inf") if self._max_seconds is None else self._max_seconds
        )
        try:
            watcher = Watcher(store, self._run.name)
            while self._working.is_alive():
                self._show_once(watcher)
                if time.monotonic() >= give_up_at:
                    self._stop.set()
                    self._worker.stop()
                self._working.join(LOOK_SECONDS)
            self._show_once(watcher)
        finally:
            store.close()

    def _show_once(self, watcher: Watcher) -> None:
        try:
            self._view.show(watcher.snapshot())
        except DatabaseUnusable:
            self._worker.stop()
        except StoreError as error:
            self._view.say(f"the database cannot be read now, work goes on: {error}")


class _Results:
    """The results file of a run, complete when the block is left."""

    def __init__(self, store: Store, run: Run, path: Path | str | None) -> None:
        self._store = store
        self._run = run
        self._path = None if path is None else Path(path)
        self._exporter: LiveExporter | None = None

    def __enter__(self) -> None:
        if self._path is not None and format_of(self._path) is Format.JSONL:
            set_aside(self._path, self._run)
            self._exporter = LiveExporter(self._store, self._run.name, self._path)
            self._exporter.start()

    def __exit__(self, *_: object) -> None:
        if self._exporter is not None:
            self._exporter.finish()
        elif self._path is not None:
            export(self._store, self._run.name, self._path)


def _should_go_on(report: WorkerReport) -> bool:
    """Too many threads hang; here, others can only be started beside them."""
    return report.reason == "restart"


def _view(wanted: bool) -> View:
    if not wanted:
        return Silent()
    from swather.runs.console import PlainConsole  # noqa: PLC0415 - only where it is shown

    return view_on(PlainConsole(stderr=True))


def _paced(lines: Iterator[Line]) -> Iterator[Line | None]:
    """The lines, and a None whenever they come slowly: what has come is then loaded."""
    loaded_at = time.monotonic()
    for line in lines:
        yield line
        if time.monotonic() - loaded_at > LOOK_SECONDS:
            loaded_at = time.monotonic()
            yield None


def _load_of(fingerprint: str) -> Load:
    if not fingerprint:
        return unrepeatable("generator", "a generator")
    return Load(source=fingerprint, content="", name="Python")


def _fingerprint(targets: Iterable[Any], limit: int | None) -> str:
    """The same for two lists of the same targets with the same limit."""
    found = sha256(b"" if limit is None else f"{limit}\n".encode())
    encode = json.JSONEncoder(sort_keys=True, default=repr).encode
    for target in targets:
        found.update(encode(target).encode() + b"\n")
    return found.hexdigest()
