"""One `swather start` of a scraper that is executed here: one process, and one per run."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from swather.cli import output
from swather.cli.run_session import RunSession
from swather.cli.view_log import logged_to
from swather.fleet.driver import RunDriver
from swather.fleet.inprocess import InForeground
from swather.fleet.start import single_driver
from swather.fleet.work import Ended, Workers
from swather.fleet.worker_factory import new_worker
from swather.runs.order import Order
from swather.runs.own_targets import OwnTargets
from swather.runs.source import Source
from swather.runs.starting import Started, single_answer
from swather.runs.summary import Summary
from swather.runs.view import View
from swather.scraping.scraper import Scraper
from swather.store import factory
from swather.worker import Worker


@dataclass(frozen=True, kw_only=True)
class SingleSession(RunSession):
    """What a command asks for."""

    keep_open: bool
    wait: bool

    def _order(self, scraper: Scraper, source: Source | OwnTargets, path: Path) -> Order:
        order = super()._order(scraper, source, path)
        return replace(order, keep_open=self.keep_open)

    def _driver(self, order: Order) -> RunDriver:
        hint = "--wait waits for it, --new starts another run"
        return single_driver(order, hint, output.stderr().print if self.wait else None)

    def _workers(self, driver: RunDriver, view: View) -> tuple[Workers, str]:
        # Its code may change the current folder.
        url = factory.located(driver.settings.db)
        code = {driver.scraper.name: driver.scraper}
        worker = new_worker(driver.settings, code, url=url, run=driver.run.name)
        return _Logged(worker, view, verbose=self.verbose), ""

    def _as_data(
        self, summary: Summary, written: dict[str, Any], ended: Ended, logs: str, code: int
    ) -> dict[str, Any]:
        data = super()._as_data(summary, written, ended, logs, code)
        del data["logs"]
        return {**started_data(single_answer(summary.run, summary.state, ended.loaded)), **data}


def started_data(started: Started) -> dict[str, Any]:
    """What every start answers, for programs."""
    return {
        "status": str(started.status),
        "run_id": started.run_id,
        "enqueued": started.enqueued,
        "worker_command": started.worker_command,
    }


class _Logged(InForeground):
    """What its worker logs is shown among what the view says."""

    def __init__(self, worker: Worker, view: View, *, verbose: bool) -> None:
        super().__init__(worker, view.say)
        self._logging = logged_to(view, verbose=verbose)

    def __enter__(self) -> Self:
        self._logging.__enter__()
        return super().__enter__()

    def __exit__(self, *about: object) -> None:
        super().__exit__(*about)
        self._logging.__exit__(None, None, None)
