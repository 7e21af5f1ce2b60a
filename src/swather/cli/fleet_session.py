"""One `swather fleet up`, from its command to its last line."""

import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swather import permissions, posix
from swather.cli import database, output
from swather.cli.autoscale_options import Autoscale, Bounds
from swather.cli.failure import FINISHED_WITH_FAILURES, INTERRUPTED
from swather.cli.fleet_preflight import ask, looked_at
from swather.fleet import places
from swather.fleet.duties import Duties, RegisteredCode
from swather.fleet.fleet_logs import SUPERVISOR, FleetLogs
from swather.fleet.fleet_scaler import FleetScaler
from swather.fleet.fleet_view import FleetView, fleet_view_on
from swather.fleet.fleet_watch import FleetTotals, FleetWatch, worker_name
from swather.fleet.local_placement import log_name
from swather.fleet.placement import Place, Placement
from swather.fleet.preflight import TEST_WORKERS
from swather.fleet.processes import ENDING_SECONDS, worker_arguments, worker_environment
from swather.fleet.seat import RestartPolicy
from swather.fleet.supervision import Supervision
from swather.fleet.supervisor import Policy
from swather.fleet.worker_process import DATABASE_AWAY, WRONG_INPUT
from swather.model.supervisor import NewSupervisor
from swather.model.task import check_file_name
from swather.runs import configuration
from swather.runs.json_names import named
from swather.runs.run_names import find_run
from swather.scraping.available import Available
from swather.scraping.registered import registered
from swather.settings_fleet import span_of
from swather.store.supervisor_rows import name_is_taken

if TYPE_CHECKING:
    from swather.settings import Settings
    from swather.store import Store

DETACHED: Final = "SWATHER_DETACHED"


@dataclass(frozen=True, kw_only=True)
class FleetSession:
    """What a command asks for. `options` are settings that it names; `worker_options` are those
    that its workers are given: what it does not name they find themselves, each when it starts.
    With `only_own` two of them serve no partitions but those planned for them; with `autoscale`
    their number follows the work. With `yes` nobody is asked.
    """

    scrapers: list[str]
    run: str | None
    name: str
    options: Mapping[str, Any]
    worker_options: Mapping[str, object]
    only_own: bool
    yes: bool
    place: Place
    autoscale: Autoscale | None
    log_folder: Path | None
    detach: bool
    db: str | None
    as_json: bool

    def begin(self) -> int:
        """The exit code."""
        check_file_name("the name of a fleet", self.name)
        is_detached = bool(os.environ.pop(DETACHED, ""))
        with database.opened(self.db) as store:
            resolved = configuration.resolve(store, self.options)
            settings = resolved.settings
            run = None if self.run is None else find_run(store, self.run).name
            bounds = None if self.autoscale is None else self.autoscale.bounds(resolved, run)
            check_name_is_free(store, self.name)
            if not is_detached:
                self._ask(store, run, settings.workers if bounds is None else bounds.maximum)
            if self.detach:
                return self._detach(store, settings, run)
            return self._supervise(store, settings, run, bounds, is_detached=is_detached)

    def _ask(self, store: "Store", run: str | None, workers: int) -> None:
        """A mistake is reported here, and not by each worker; --test is never asked about."""
        found = looked_at(
            store,
            {**self.options, "workers": workers},
            self.scrapers,
            run=run,
            place=self.place,
            is_test=self.only_own,
        )
        ask(found, yes=self.yes or self.only_own, quiet=self.as_json)

    def _supervise(
        self,
        store: "Store",
        settings: "Settings",
        run: str | None,
        bounds: Bounds | None,
        *,
        is_detached: bool,
    ) -> int:
        # A fleet without a worker still fires its schedules.
        code = RegisteredCode(registered()) if run is None else None
        placed = settings
        if bounds is not None:
            # Partitions are dealt to those that surely run; each that comes later gets its share.
            placed = settings.model_copy(update={"workers": max(bounds.minimum, 1)})
        with Duties(store.url, code), self._placed(placed, run) as placement:
            return self._keep_running(
                store, settings, run, bounds, placement, is_detached=is_detached
            )

    def _keep_running(
        self,
        store: "Store",
        settings: "Settings",
        run: str | None,
        bounds: Bounds | None,
        placement: Placement,
        *,
        is_detached: bool,
    ) -> int:
        folder = self._folder(settings)
        new = NewSupervisor(
            process=posix.this_process(),
            name=self.name,
            placement=str(self.place),
            wanted=self._first_wanted(settings, bounds),
            minimum=None if bounds is None else bounds.minimum,
            maximum=None if bounds is None else bounds.maximum,
            command=self._in_words(),
            log_folder=str(folder),
        )
        supervisor_id = store.supervisors.register(new)
        # What a process that died without a word has left behind.
        store.workers.sweep()
        since = store.supervisors.get(supervisor_id).registered_at
        watch = FleetWatch(store, self.name, run, since)
        with FleetLogs(folder, settings) as logs:
            view = FleetView() if is_detached else fleet_view_on(output.stderr())
            view.say(f"Fleet {self.name} comes up; its logs are in {folder}")
            if is_detached:
                _let_go(folder)
            supervision = Supervision(
                store,
                supervisor_id,
                new,
                placement,
                _policy(settings),
                logs,
                watch,
                view,
                None if bounds is None else self._scaler(store, run),
            )
            supervision.until_it_ends()
        code = _exit_code(supervision)
        if supervision.totals is not None and not is_detached:
            self._report(supervision.totals, code)
        return code

    def _first_wanted(self, settings: "Settings", bounds: Bounds | None) -> int:
        if self.only_own:
            return TEST_WORKERS
        return settings.workers if bounds is None else bounds.minimum

    def _placed(self, settings: "Settings", run: str | None) -> AbstractContextManager[Placement]:
        """Where the workers run. Nodes of a cluster send what workers log; here they write it."""
        folder = self._folder(settings)
        if self.place is Place.RAY:
            scrapers = places.specs_on_ray(self.scrapers, settings)
            arguments = partial(self._arguments, scrapers, settings, run, None)
            return places.on_ray(arguments, settings, folder, fleet=self.name)
        return places.local(
            partial(self._arguments, self.scrapers, settings, run, folder), settings, folder
        )

    def _arguments(
        self,
        scrapers: list[str],
        settings: "Settings",
        run: str | None,
        log_folder: Path | None,
        number: int,
    ) -> list[str]:
        until = {"--forever": ""} if run is None else {"--run": run}
        logs_targets = settings.log_targets is not False
        words = worker_arguments(
            scrapers,
            {
                **self.worker_options,
                "--name": worker_name(self.name, number),
                "--number": number,
                "--log-file": None if log_folder is None else log_folder / log_name(number),
                "--log-targets" if logs_targets else "--no-log-targets": "",
                **until,
            },
        )
        own = ["--only-own"] if self.only_own else []
        return [*filter(None, words), *own]

    def _scaler(self, store: "Store", run: str | None) -> FleetScaler:
        return FleetScaler(
            store,
            lambda: configuration.resolve(store, self.options).settings,
            scrapers=set() if run is not None else set(Available(self.scrapers).all()),
            run=run,
            is_here=self.place is Place.LOCAL,
        )

    def _detach(self, store: "Store", settings: "Settings", run: str | None) -> int:
        """Start the same command in a process of its own, and wait until its fleet is up."""
        del run
        words = [sys.executable, "-P", "-m", "swather.cli", "fleet", "up", *self._words()]
        told, theirs = os.pipe()
        environment = {**os.environ, **worker_environment(settings), DETACHED: "1"}
        child = posix.start_detached(words, environment, theirs)
        os.close(theirs)
        with os.fdopen(told, errors="replace") as errors:
            # It closes its end once it is up.
            said = errors.read()
        if not any(row.process.pid == child for row in store.supervisors.find()):
            sys.stderr.write(said)
            return posix.exit_code_of(child) or FINISHED_WITH_FAILURES
        folder = self._folder(settings)
        if self.as_json:
            output.print_json({"fleet": self.name, "process": child, "log_folder": str(folder)})
            return 0
        print(f"Fleet {self.name} is up: process {child}, logs in {folder}")
        more = "" if self.name == default_name() else f" --name {shlex.quote(self.name)}"
        for verb in ("status", "logs --follow", "down"):
            print(f"  {database.with_db(f'swather fleet {verb}{more}', self.db)}")
        return 0

    def _words(self) -> list[str]:
        """The command's own arguments, without the database, whose URL may have a password."""
        given = {
            "--run": self.run,
            "--name": self.name,
            "--workers": self.options.get("workers"),
            "--log-folder": self.log_folder,
            "--on": None if self.place is Place.LOCAL else str(self.place),
            **({} if self.autoscale is None else self.autoscale.options()),
            **self.worker_options,
        }
        pairs = [pair for pair in given.items() if pair[1] is not None]
        flags = ["--test"] if self.only_own else []
        flags += [] if self.autoscale is None else ["--autoscale"]
        return [*self.scrapers, *(str(word) for pair in pairs for word in pair), *flags]

    def _in_words(self) -> str:
        return shlex.join(["swather", "fleet", "up", *self._words()])

    def _folder(self, settings: "Settings") -> Path:
        default = settings.logs_folder / f"fleet-{self.name}"
        return (self.log_folder or default).absolute()

    def _report(self, totals: FleetTotals, code: int) -> None:
        if self.as_json:
            output.print_json({**named(totals), "exit_code": code})
            return
        for line in totals.lines():
            print(line)


def default_name() -> str:
    return posix.this_process().host


def check_name_is_free(store: "Store", name: str) -> None:
    for row in store.supervisors.find():
        if row.name == name:
            raise name_is_taken(row)


def _policy(settings: "Settings") -> Policy:
    return Policy(
        stagger_seconds=span_of(settings.stagger_seconds),
        restart=RestartPolicy(restarts=settings.restarts_per_hour),
        grace_seconds=settings.grace_seconds + ENDING_SECONDS,
    )


def _exit_code(supervision: Supervision) -> int:
    if supervision.is_interrupted:
        return INTERRUPTED
    if supervision.is_stopped:
        return 0
    codes = supervision.codes
    worst = (DATABASE_AWAY, WRONG_INPUT, FINISHED_WITH_FAILURES)
    return next((code for code in worst if code in codes), 0)


def _let_go(folder: Path) -> None:
    """Of the terminal that this process was started from: an error that nobody expects goes to its
    log.
    """
    with open(folder / SUPERVISOR, "ab", opener=permissions.opener) as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
