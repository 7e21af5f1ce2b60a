"""One `swather replay` from its run to its last line."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from swather.cli import database, output
from swather.cli.amounts import MaxFailed
from swather.cli.failure import FINISHED_WITH_FAILURES, INTERRUPTED
from swather.cli.selection import worker_command
from swather.cli.view_log import logged_to
from swather.errors import InputError
from swather.fleet.driver import Driven
from swather.fleet.inprocess import InForeground
from swather.fleet.replaying import ReplayDriver
from swather.fleet.worker_factory import new_worker
from swather.model.run import Run, RunState
from swather.runs import configuration, replay
from swather.runs.json_names import named
from swather.runs.output_files import output_of
from swather.runs.progress import Snapshot
from swather.runs.results import Results
from swather.runs.results_file import holds
from swather.runs.summary import Summary
from swather.runs.view import WrappingView, view_on
from swather.runs.words import count
from swather.scraping import registry
from swather.scraping.available import Available

if TYPE_CHECKING:
    from swather.scraping.scraper import Scraper
    from swather.settings import Settings
    from swather.store.ports import Store
    from swather.worker import Worker


@dataclass(frozen=True, kw_only=True)
class ReplaySession:
    """What a command asks for."""

    store: "Store"
    db: str | None
    options: Mapping[str, Any]
    spec: str | None
    output: Path | None
    max_failed: MaxFailed
    new: bool
    verbose: bool
    as_json: bool

    def replay(self, run: Run) -> int:
        """The exit code."""
        scraper, results = self._checked(run)
        settings = self._settings(scraper)
        driver = ReplayDriver(self.store, run, scraper, settings, results, new=self.new)
        view = _Unpaused(view_on(output.stderr()))
        view.say(
            f"{'Resuming the replay of' if driver.begun.goes_on else 'Replaying'} run {run.name}: "
            f"{count(driver.begun.tasks, 'target')}"
        )
        began = time.monotonic()
        with logged_to(view, verbose=self.verbose):
            ended = driver.work(InForeground(self._worker(driver), view.say), view)
        driven = driver.finish(seconds=time.monotonic() - began).whole()
        code = self._exit_code(driven.summary, interrupted=ended.interrupted)
        self._report(run, driven, interrupted=ended.interrupted, code=code)
        return code

    def preview(self, run: Run) -> None:
        """Say what `replay` would do, or refuse what it would refuse."""
        _, results = self._checked(run)
        found = replay.look(self.store, run)
        half_done = replay.is_half_done(run)
        if self.as_json:
            output.print_json(
                {
                    "run": run.name,
                    "stored": found.stored,
                    "not_stored": found.not_stored,
                    "half_done": half_done,
                    "results": results.name,
                    "dry_run": True,
                }
            )
            return
        print(f"run {run.name}: {count(found.stored, 'target')} would be replayed")
        if found.not_stored:
            print(
                f"{count(found.not_stored, 'target')} without stored pages would keep "
                f"{'its' if found.not_stored == 1 else 'their'} results"
            )
        if half_done:
            print("the unfinished replay would be resumed; --new starts over")
        print(f"{results.name} would be rewritten")

    def _checked(self, run: Run) -> tuple["Scraper", Results]:
        """The code and the results file of a run that can be replayed; refuses any other."""
        scraper = self._scraper_of(run)
        configuration.apply(scraper, self._settings(scraper))
        results = Results(self.output or results_path(run))
        results.check_rewrite(self.store, run)
        replay.check(self.store, run)
        return scraper, results

    def _settings(self, scraper: "Scraper") -> "Settings":
        return configuration.resolve(self.store, self.options, scraper).settings

    def _scraper_of(self, run: Run) -> "Scraper":
        if self.spec is None:
            return Available().of(run)
        found = registry.load(self.spec)
        if found.name != run.scraper:
            raise InputError(
                f"run {run.name!r} belongs to scraper {run.scraper!r}, not {found.name!r}"
            )
        return found

    def _worker(self, driver: ReplayDriver) -> "Worker":
        return new_worker(
            driver.settings,
            {driver.scraper.name: driver.scraper},
            url=database.existing(self.db),
            run=driver.run.name,
            replay=True,
        )

    def _exit_code(self, summary: Summary, *, interrupted: bool) -> int:
        if summary.state is not RunState.FINISHED:
            is_stopped = interrupted or summary.state is RunState.CANCELLED
            return INTERRUPTED if is_stopped else FINISHED_WITH_FAILURES
        counts = summary.counts
        if not self.max_failed.allows(counts.failed, counts.total):
            return FINISHED_WITH_FAILURES
        return 0

    def _report(self, run: Run, driven: Driven, *, interrupted: bool, code: int) -> None:
        summary, written = driven.summary, driven.written
        missing = summary.counts.reasons.get(replay.NOT_STORED, 0)
        fetch = self._fetching(run) if missing else None
        if self.as_json:
            data: dict[str, Any] = named(summary)
            data.update(
                database=database.shown(data.pop("url")),
                results=written,
                not_stored=missing,
                fetch=fetch,
                interrupted=interrupted,
                exit_code=code,
            )
            output.print_json(data)
            return
        for line in summary.lines():
            print(line)
        if fetch:
            asks = "target asks" if missing == 1 else "targets ask"
            print(f"{missing:,} {asks} for a page that is not stored. To fetch it:\n    {fetch}")
        if written is None:
            print("The results file still holds the results from before the replay.")
            print(f"To resume, run the same command{' without --new' if self.new else ''}.")
            return
        if summary.counts.cancelled:
            print("Cancelled targets keep the items they had.")
        print(f"Results: {written['path']} ({count(written['items'], 'item')})")

    def _fetching(self, run: Run) -> str:
        retry = f"swather retry {shlex.quote(run.name)} --reason {replay.NOT_STORED}"
        code = [] if self.spec is None else [registry.absolute(self.spec)]
        work = worker_command(run, code, self.db)
        return f"{database.with_db(retry, self.db)} && {work}"


def results_path(run: Run) -> Path:
    """The file that has the run's results, if it is in this folder and says so itself. A database
    alone does not decide which file is overwritten here.
    """
    noted = output_of(run)
    if noted is None or not _exists(noted):
        return Path(f"{run.scraper}.jsonl")
    here = Path.cwd()
    if not noted.resolve().is_relative_to(here):
        raise InputError(
            f"the results of run {run.name} are in {noted}, which is not in this folder; "
            f"name the file to write: -o {shlex.quote(str(noted))}"
        )
    path = noted.resolve().relative_to(here)
    if not holds(path, run):
        raise InputError(
            f"the database says that the results of run {run.name!r} are in {str(path)!r}, but "
            "the file does not say so; name the file to write: -o FILE"
        )
    return path


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # In a folder that is not ours to look into.
        return False


class _Unpaused(WrappingView):
    """The run is paused for everyone but us."""

    def show(self, snapshot: Snapshot) -> None:
        rate, left = snapshot.rate_per_second, snapshot.counts.unfinished
        eta = left / rate if rate else None
        super().show(msgspec.structs.replace(snapshot, paused=False, eta_seconds=eta, reasons=[]))
