"""The runs whose tasks a worker executes, with their scrapers."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final

from swather.errors import InputError
from swather.model.lease import Lease
from swather.model.outcome import LogLine
from swather.model.pacing import NO_LIMITS
from swather.model.retry import Budgets
from swather.model.run import RESERVED_PARAM, Run, RunState
from swather.net.egress import WayOut
from swather.scraping.code_version import code_version
from swather.scraping.context import RunInfo
from swather.scraping.file_folders import FileFolders
from swather.scraping.files import FileStore
from swather.scraping.params import typed_params
from swather.scraping.scraper import Scraper
from swather.store.ports import Store
from swather.worker.messages import RunLoaded, RunsSettled
from swather.worker.traces import Traces

_MAX_OPEN_RUNS: Final = 1_000
_MAX_TOLD: Final = 10
_ENOUGH_WORKERS: Final = 8
# Lines of its log that are kept for an attempt, and for how many full attempts of a run.
LOG_LINES: Final = 100
_LOGGING_TASKS: Final = 100
_NO_RETRIES: Final = Budgets(retries=0, blocked=0, proxy=0, postponed=0)

_log = logging.getLogger(__name__)


class Job:
    """A run with its scraper, read once and then used for each of its tasks. In a `replay` nothing
    is paced, and nothing is tried again: what is stored is the same the next time.
    """

    __slots__ = (
        "_lane_limits",
        "allow_private",
        "backoff",
        "budgets",
        "delay",
        "files",
        "info",
        "is_auto",
        "is_replay",
        "isolation",
        "keeps_pages",
        "log_left",
        "log_lines",
        "names_lanes",
        "obeys_robots",
        "own_headers",
        "params",
        "run",
        "scraper",
        "timeout",
        "way_out",
    )

    def __init__(
        self,
        run: Run,
        scraper: Scraper,
        files: FileStore,
        *,
        replay: bool = False,
        log_lines: int = LOG_LINES,
    ) -> None:
        options = scraper.options
        self.run = run
        self.scraper = scraper
        self.files = files
        self.info = RunInfo(run.id, run.name, run.version, str(files.location))
        self.params: Any = typed_params(scraper, run.params)
        self.timeout = options.timeout
        self.isolation = scraper.isolation
        self.is_replay = replay
        self.log_lines = log_lines
        self.log_left = log_lines * _LOGGING_TASKS
        self.keeps_pages = _keeps_pages(run, scraper)
        self.budgets = _NO_RETRIES if replay else options.budgets()
        self.backoff = options.backoff_policy()
        self.delay = None if replay else options.delay_range()
        self._lane_limits = NO_LIMITS if replay else run.lane_limits
        self.allow_private = options.allow_private
        self.is_auto = options.is_auto
        self.names_lanes = options.lane is not None
        self.obeys_robots = options.robots
        self.own_headers = options.own_headers
        self.way_out = WayOut.DIRECT if replay else options.way_out

    def take_log(self, lines: list[LogLine]) -> list[LogLine]:
        """As many of these lines as this worker may still keep of the run."""
        kept = lines[: self.log_left]
        self.log_left -= len(kept)
        return kept

    def holds_back(self, slots: int) -> bool:
        """Whether the run's limits for lanes keep workers of so many slots from all they could do;
        in flight there may be as many as a few of them need, and more.
        """
        limits = self._lane_limits
        few = limits.in_flight is not None and limits.in_flight < _ENOUGH_WORKERS * slots
        return few or (limits.every_seconds > 0 and not limits.public_only)

    def warn_of_version(self) -> None:
        """Say that this worker has other code than the run was started with."""
        ours, theirs = self.scraper.options.version, self.run.version
        if ours == theirs and self.run.scraper_code and not self.is_replay:
            ours, theirs = code_version(self.scraper)[:8], self.run.scraper_code[:8]
        if ours != theirs:
            _log.warning(
                "run %s was started with version %r of scraper %s; this worker has version %r and "
                "works with that. Bring the same code to all machines, or stop this worker",
                self.run.name,
                theirs,
                self.scraper.name,
                ours,
            )


class Jobs:
    """Those of one run, or of all whose scraper there is. `known` may be read on any thread. What
    takes a store blocks.
    """

    def __init__(
        self,
        scrapers: Mapping[str, Scraper],
        folders: FileFolders,
        *,
        run: str | None = None,
        replay: bool = False,
        log_lines: int = LOG_LINES,
        tracing: Traces | None = None,
    ) -> None:
        self._tracing = tracing
        self.known: dict[int, Job] = {}
        self._scrapers = scrapers
        self._folders = folders
        self._run = run
        self._replay = replay
        self._log_lines = log_lines
        self._strangers: set[str] = set()

    def hold_back(self, leases: Iterable[Lease], slots: int) -> bool:
        """Whether some of these are on lanes that their run limits."""
        runs = {lease.run_id for lease in leases if lease.lane}
        return any(run in self.known and self.known[run].holds_back(slots) for run in runs)

    def breaker_key(self, lease: Lease) -> tuple[str, str] | None:
        """The scraper and the lane of a task; None while its run is not known."""
        job = self.known.get(lease.run_id)
        return None if job is None else (job.scraper.name, lease.lane)

    def load(self, run: Run) -> Job:
        if run.scraper not in self._scrapers:
            raise InputError(
                f"run {run.name!r} is one of scraper {run.scraper!r}, which this worker does not "
                f"have; it has {', '.join(self._scrapers)}"
            )
        job = Job(
            run,
            self._scrapers[run.scraper],
            self._folders.of(run),
            replay=self._replay,
            log_lines=self._log_lines,
        )
        self.known[run.id] = job
        return job

    def forget(self, run_id: int) -> None:
        """The run is over; if it is opened again, it is read again."""
        self.known.pop(run_id, None)

    def load_for(self, store: Store, lease: Lease) -> RunLoaded:
        """Read the run of a lease."""
        try:
            self.load(store.runs.by_id(lease.run_id))
        except Exception as error:  # noqa: BLE001 - it is for those waiting for the run
            return RunLoaded(lease.run_id, error)
        return RunLoaded(lease.run_id, None)

    def settle(self, store: Store, *, forever: bool) -> RunsSettled:
        """Finish the runs that can be finished. With `forever` there may always be others."""
        sees_all = True
        if self._run is None:
            open_runs = store.runs.find(state=RunState.OPEN, limit=_MAX_OPEN_RUNS)
            self._warn_of_strangers(open_runs)
            names = [found.name for found in open_runs if found.scraper in self._scrapers]
            sees_all = len(open_runs) < _MAX_OPEN_RUNS
        else:
            names = [self._run]
        states = {name: self._settle(store, name) for name in names}
        known = [job.run for job in list(self.known.values())] if sees_all else []
        ended = [each.id for each in known if states.get(each.name) is not RunState.OPEN]
        if forever or RunState.OPEN in states.values():
            return RunsSettled(ended)
        return RunsSettled(ended, "finished" if self._run is None else str(states[self._run]))

    def _settle(self, store: Store, name: str) -> RunState:
        if store.runs.settle(name):
            _log.info("run %s is finished", name)
            store.hints.send()
            if self._tracing is not None:
                self._tracing.run_ended(store.runs.get(name), store.runs.counts(name))
            return RunState.FINISHED
        return store.runs.get(name).state

    def _warn_of_strangers(self, runs: Iterable[Run]) -> None:
        """Say, once of each scraper, that its runs are left to workers that have its code."""
        strangers = {run.scraper for run in runs} - self._scrapers.keys() - self._strangers
        if strangers:
            self._strangers |= strangers
            _log.warning(
                "this worker does not have the code for %s and skips its runs; it has %s. To run "
                "it here, name it: swather worker FILE.py, or MODULE:NAME",
                ", ".join(map(repr, sorted(strangers)[:_MAX_TOLD])),
                ", ".join(self._scrapers),
            )


def _keeps_pages(run: Run, scraper: Scraper) -> bool:
    """As the run was started, whichever worker meets it; else as the scraper says here."""
    noted = run.params.get(RESERVED_PARAM, {}).get("store_pages")
    return bool(scraper.options.store_pages if noted is None else noted)
