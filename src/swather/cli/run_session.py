"""One `swather run` from its command to its last word."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swather.cli import database, output
from swather.cli.amounts import MaxFailed
from swather.cli.failure import FINISHED_WITH_FAILURES, INTERRUPTED
from swather.cli.run_results import Results
from swather.cli.run_work import Ended, Work
from swather.cli.source import Source
from swather.errors import InputError, ResultsIncomplete
from swather.model.query import TaskFilter
from swather.model.run import Run, RunState
from swather.runs import configured
from swather.runs.lane_words import default_pace
from swather.runs.loading import anything_new
from swather.runs.start import Planned, plan_run
from swather.runs.summary import Summary, summarise
from swather.runs.view import View, view_on
from swather.scraping import registry
from swather.scraping.files import FileStore
from swather.store import factory
from swather.worker.saving import link_missing

if TYPE_CHECKING:
    from swather.runs.intake import Intake
    from swather.scraping.scraper import Scraper
    from swather.settings import Settings
    from swather.store.ports import Store

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
    verbose: bool
    as_json: bool

    def run(self) -> int:
        """The exit code."""
        scraper = registry.load(self.spec)
        if self.source.is_empty and self.resume is None:
            raise InputError(
                f"nothing to scrape: swather run {self.spec} URL…, or --targets FILE "
                "(- for stdin), or --resume RUN"
            )
        if self.resume is not None and self.new:
            raise InputError("a run is either resumed (--resume) or new (--new), not both")
        held = configured.resolved(None, self.options).settings
        path = self.output or Path(f"{scraper.name}.jsonl")
        if self.source.reads(path):
            raise InputError(f"targets are read from {path}; name another file for results with -o")
        results = Results(path)
        # Bad targets are told before a database is made for them.
        configured.params_of(scraper, self.params, held)
        self.source.check(scraper)
        store = factory.open(held.db)
        try:
            held = configured.resolved(store, self.options).settings
            return self._run(store, configured.applied(scraper, held), held, results)
        finally:
            store.close()

    def _run(self, store: "Store", scraper: "Scraper", held: "Settings", results: Results) -> int:
        results.check(store)
        intake = None if self.source.is_empty else self.source.intake(scraper)
        planned = plan_run(
            store,
            scraper,
            params=configured.params_of(scraper, self.params, held),
            source_fingerprint=self.source.fingerprint,
            source=self.source.in_words,
            resume=self.resume,
            new=self.new,
            task_limit=self.source.limit,
            default_rate=held.default_rate,
        )
        run = planned.run
        try:
            aside = results.begin(store, run)
        except InputError:
            if planned.is_new:
                store.runs.cancel(run.name)
                store.runs.remove(run.name)
            raise
        view = view_on(output.stderr())
        for note in (*planned.notes, *filter(None, [aside])):
            view.say(f"note: {note}")
        if intake is not None and intake.is_empty:
            view.say(f"note: {self.source.nothing_found}")
        try:
            ended = self._work(store, held, planned, intake, view)
        finally:
            written = _finished(results, store, run)
        # Workers name the files they save; this is for those that were killed just before.
        link_missing(store.results, FileStore(held.files_folder))
        summary = summarise(store, run.name)
        code = self._exit_code(ended, summary)
        if "error" in written:
            code = code or FINISHED_WITH_FAILURES
        self._report(summary, written, ended, code)
        return code

    def _work(
        self,
        store: "Store",
        held: "Settings",
        planned: Planned,
        intake: "Intake | None",
        view: View,
    ) -> Ended:
        run = planned.run
        if planned.finished and not (intake and anything_new(store, run.name, intake)):
            view.say(_already_over(run))
            return _NOTHING_DONE
        view.say(_beginning(planned))
        if pace := default_pace(run.lane_limits, _lanes_of(store, run, intake)):
            view.say(pace)
        work = Work(
            store,
            run,
            self.spec,
            held,
            view,
            intake=intake,
            max_seconds=self.max_seconds,
            verbose=self.verbose,
        )
        return work.until_it_ends()

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

    def _report(self, summary: Summary, written: dict[str, Any], ended: Ended, code: int) -> None:
        if self.as_json:
            output.print_json(_as_data(summary, written, ended, code))
            return
        for line in summary.lines():
            print(line)
        print(f"Results: {self._about(written)}")
        if said := self._how_to_go_on(summary, ended):
            print(said)

    def _about(self, written: dict[str, Any]) -> str:
        if "error" in written:
            return f"not complete, {self._same_command} completes them: {written['error']}"
        missing = written["missing"]
        more = f" ({missing:,} more are not readable yet)" if missing else ""
        return f"{written['path']}{more}"

    @property
    def _same_command(self) -> str:
        return "the same command without --new" if self.new else "the same command"

    def _how_to_go_on(self, summary: Summary, ended: Ended) -> str:
        if summary.state is not RunState.OPEN:
            return ""
        if ended.interrupted:
            return f"{self._same_command.capitalize()} goes on from here."
        return f"All workers have ended before the run did; see {ended.logs}"


def _finished(results: Results, store: "Store", run: Run) -> dict[str, Any]:
    """What the file holds. One that cannot be written is no reason to be silent about the run."""
    try:
        return results.finish(store, run)
    except (InputError, ResultsIncomplete) as error:
        missing = getattr(error, "missing", None)
        return {"path": results.name, "items": None, "missing": missing, "error": str(error)}


def _beginning(planned: Planned) -> str:
    return f"{'begin' if planned.is_new else 'go on with'} run {planned.run.name}"


def _lanes_of(store: "Store", run: Run, intake: "Intake | None") -> list[str]:
    """Hosts that the run is about to ask, as far as they are known now."""
    if intake is not None:
        return [host for host, _ in intake.hosts]
    return [task.lane for task in store.tasks.find(TaskFilter(run=run.name), limit=1)]


def _already_over(run: Run) -> str:
    if run.state is RunState.CANCELLED:
        return f"run {run.name} was cancelled and takes no more targets; --new begins another"
    return f"run {run.name} is finished, and there is nothing new to scrape; --new begins another"


def _as_data(summary: Summary, written: dict[str, Any], ended: Ended, code: int) -> dict[str, Any]:
    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(summary)
    data.update(
        database=database.shown(data.pop("url")),
        results=written,
        interrupted=ended.interrupted,
        logs=ended.logs,
        exit_code=code,
    )
    return data
