"""One `swather run`, or `retry --run`, from its command to its last line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from swather.cli import database, output, preflight_view, serving
from swather.cli.amounts import MaxFailed
from swather.cli.failure import FINISHED_WITH_FAILURES, INTERRUPTED
from swather.errors import InputError
from swather.fleet.driver import Driven, RunDriver
from swather.fleet.preflight_checks import wrong_for_run
from swather.fleet.processes import Processes
from swather.fleet.work import Ended, Workers
from swather.model.run import RunState
from swather.model.task_filter import TaskFilter
from swather.net.egress import WayOut
from swather.runs import limit_words
from swather.runs.json_names import named
from swather.runs.lane_words import default_pace
from swather.runs.load import Loaded
from swather.runs.order import Order
from swather.runs.own_targets import OwnTargets, own_targets
from swather.runs.source import Source
from swather.runs.start import Planned
from swather.runs.summary import Summary
from swather.runs.view import View, view_on
from swather.runs.words import count, duration
from swather.scraping import registry
from swather.scraping.scraper import Scraper
from swather.scraping.targets import lane_of_host

_NOTHING_DONE: Final = Ended()


@dataclass(frozen=True, kw_only=True)
class RunSession:
    """What a command asks for."""

    spec: str
    source: Source
    params: list[str]
    options: Mapping[str, Any]
    max_seconds: float | None
    max_failed: MaxFailed
    output: Path | None
    resume: str | None
    new: bool
    retry: TaskFilter | None
    verbose: bool
    as_json: bool
    serve: bool = False

    def run(self) -> int:
        """The exit code."""
        scraper = registry.load(self.spec)
        source = self._source(scraper)
        if self.resume is not None and self.new:
            raise InputError("--resume and --new exclude each other")
        if self.retry is not None and self.new:
            raise InputError(
                "--retry-failed and --new exclude each other: a new run has no failures"
            )
        path = self.output or Path(f"{scraper.name}.jsonl")
        if source.reads(path):
            raise InputError(
                f"targets are read from {path}; choose another file for the results with -o"
            )
        if self.serve:
            serving.check_packages()
        with self._driver(self._order(scraper, source, path)) as driver:
            with self._served(driver):
                ended, logs = self._work(driver)
            driven = driver.finish()
        written = _about_results(driven, path)
        code = self._exit_code(ended, driven.summary)
        if driven.wrong is not None:
            code = code or FINISHED_WITH_FAILURES
        self._report(driver.planned, driven.summary, written, ended, logs, code)
        return code

    def _source(self, scraper: Scraper) -> Source | OwnTargets:
        source = self.source.or_start_of(scraper)
        if not source.is_empty or self.resume is not None:
            return self.source if self.resume is not None else source
        own = own_targets(scraper, self.params, self.options, self.source)
        if own is None:
            raise InputError(
                f"nothing to scrape: swather run {self.spec} URL…, or --targets FILE "
                "(- for stdin), or --resume RUN"
            )
        return own

    def _order(self, scraper: Scraper, source: Source | OwnTargets, path: Path) -> Order:
        return Order(
            scraper=scraper,
            source=source,
            options=self.options,
            params=self.params,
            output=path,
            resume=self.resume,
            new=self.new,
            retry=self.retry,
        )

    @contextmanager
    def _served(self, driver: RunDriver) -> Iterator[None]:
        if not self.serve:
            yield
            return
        with serving.dashboard_beside(driver.settings):
            yield
        again = database.with_db("swather serve", self.options.get("db"))
        output.stderr().print(f"The dashboard ends with the run; to see it again: {again}")

    def _driver(self, order: Order) -> RunDriver:
        return RunDriver(order)

    def _workers(self, driver: RunDriver, view: View) -> tuple[Workers, str]:
        """Those that execute the run, and the folder of their logs."""
        workers = Processes(driver.run, self.spec, driver.settings, view.say, verbose=self.verbose)
        return workers, str(workers.log_folder)

    def _work(self, driver: RunDriver) -> tuple[Ended, str]:
        """How it ended, and where the workers' logs are."""
        view = view_on(output.stderr())
        for note in driver.notes:
            view.say(f"note: {note}")
        if not driver.take_up():
            view.say(_already_over(driver))
            return _NOTHING_DONE, ""
        view.say(_beginning(driver))
        for pace in _paces(driver):
            view.say(pace)
        for wrong in wrong_for_run(driver.store, driver.settings):
            view.say(preflight_view.warning(wrong))
        workers, logs = self._workers(driver, view)
        at_limit = "" if self.max_seconds is None else _at_limit(self.max_seconds)
        ended = driver.work(workers, view, max_seconds=self.max_seconds, at_limit=at_limit)
        return ended, logs

    def _exit_code(self, ended: Ended, summary: Summary) -> int:
        is_done = summary.state is RunState.FINISHED and not summary.load_incomplete
        if summary.state is RunState.CANCELLED or (ended.interrupted and not is_done):
            return INTERRUPTED
        if summary.state is RunState.OPEN:
            return ended.worst_code or FINISHED_WITH_FAILURES
        counts = summary.counts
        if summary.load_incomplete or not self.max_failed.allows(counts.failed, counts.total):
            return FINISHED_WITH_FAILURES
        return 0

    def _report(
        self,
        planned: Planned,
        summary: Summary,
        written: dict[str, Any],
        ended: Ended,
        logs: str,
        code: int,
    ) -> None:
        if self.as_json:
            output.print_json(self._as_data(summary, written, ended, logs, code))
            return
        for line in summary.lines():
            print(line)
        if ended.loaded is not None and (ended.loaded.duplicates or ended.loaded.skipped):
            print(f"Input: {ended.loaded.in_words(into_new=planned.is_new)}.")
        print(f"Results: {self._about(written)}")
        if said := self._how_to_resume(summary, ended, logs):
            print(said)

    def _about(self, written: dict[str, Any]) -> str:
        if "error" in written:
            return f"incomplete, run {self._same_command} again: {written['error']}"
        missing = written["missing"]
        more = f" ({missing:,} more are not readable yet)" if missing else ""
        return f"{written['path']}{more}"

    @property
    def _same_command(self) -> str:
        return "the same command without --new" if self.new else "the same command"

    def _how_to_resume(self, summary: Summary, ended: Ended, logs: str) -> str:
        if summary.state is not RunState.OPEN:
            return ""
        if ended.interrupted or not logs:
            return f"Run {self._same_command} again to resume."
        return f"All workers ended before the run was finished; see {logs}"

    def _as_data(
        self, summary: Summary, written: dict[str, Any], ended: Ended, logs: str, code: int
    ) -> dict[str, Any]:
        """For programs."""
        data: dict[str, Any] = named(summary)
        data.update(
            database=database.shown(data.pop("url")),
            results=written,
            input=None if ended.loaded is None else input_data(ended.loaded),
            interrupted=ended.interrupted,
            logs=logs,
            exit_code=code,
        )
        return data


def _about_results(driven: Driven, path: Path) -> dict[str, Any]:
    """What the file holds, or why it does not hold all."""
    if driven.written is not None:
        return driven.written
    missing = getattr(driven.wrong, "missing", None)
    return {"path": str(path), "items": None, "missing": missing, "error": str(driven.wrong)}


def _at_limit(max_seconds: float) -> str:
    return f"Stopping after {duration(max_seconds)} (--max-time)"


def _beginning(driver: RunDriver) -> str:
    again = f": {count(driver.retried, 'target')} to retry" if driver.retried else ""
    return f"{'Starting' if driver.planned.is_new else 'Resuming'} run {driver.run.name}{again}"


def _paces(driver: RunDriver) -> Iterator[str]:
    """The paces that the run's own code does not name."""
    limits, lanes = driver.run.lane_limits, _lanes_of(driver)
    overriding = limit_words.overriding(driver.store, lanes)
    per_proxy = driver.scraper.options.way_out is WayOut.POOL
    others = lanes - {lane.name for lane in overriding}
    if pace := default_pace(limits, others, per_proxy=per_proxy):
        yield pace
    for lane in overriding:
        yield limit_words.pace_note(lane, limits)


def _lanes_of(driver: RunDriver) -> set[str]:
    """Hosts that the run will send requests to, as far as they are known now."""
    if driver.intake is not None:
        return {lane_of_host(host, port) for host, port in driver.intake.hosts}
    which = TaskFilter(run=driver.run.name)
    return {task.lane for task in driver.store.tasks.find(which, limit=1)}


def _already_over(driver: RunDriver) -> str:
    run = driver.run
    if run.state is RunState.CANCELLED:
        return f"Run {run.name} was cancelled and takes no more targets; --new starts another"
    failed = driver.store.runs.counts(run.name).failed
    retry = f", --retry-failed retries the {count(failed, 'failed target')}" if failed else ""
    return f"Run {run.name} is finished, with nothing left to scrape; --new starts another{retry}"


def input_data(loaded: Loaded) -> dict[str, Any]:
    """What was loaded, for programs."""
    return {
        "enqueued": loaded.added,
        "duplicates": loaded.duplicates,
        "skipped": loaded.skipped,
        "skipped_lines": [
            {"source": bad.source, "line": bad.number, "reason": bad.reason} for bad in loaded.bad
        ],
    }
