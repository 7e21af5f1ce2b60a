"""What a worker knows of a run whose tasks it executes."""

from typing import Any, Final

from swather.model.pacing import NO_LIMITS
from swather.model.retry import Budgets
from swather.model.run import RESERVED_PARAM, Run
from swather.scraping.context import RunInfo
from swather.scraping.params import typed_params
from swather.scraping.scraper import Scraper

_ENOUGH_WORKERS: Final = 8
_NO_RETRIES: Final = Budgets(retries=0, blocked=0, proxy=0)


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
        "info",
        "is_auto",
        "isolation",
        "keeps_pages",
        "names_lanes",
        "obeys_robots",
        "params",
        "run",
        "scraper",
        "timeout",
    )

    def __init__(self, run: Run, scraper: Scraper, *, replay: bool = False) -> None:
        options = scraper.options
        self.run = run
        self.scraper = scraper
        self.info = RunInfo(run.id, run.name, run.version)
        self.params: Any = typed_params(scraper, run.params)
        self.timeout = options.timeout
        self.isolation = scraper.isolation
        self.keeps_pages = _keeps_pages(run, scraper)
        self.budgets = _NO_RETRIES if replay else options.budgets()
        self.backoff = options.backoff_policy()
        self.delay = None if replay else options.delay_range()
        self._lane_limits = NO_LIMITS if replay else run.lane_limits
        self.allow_private = options.allow_private
        self.is_auto = options.is_auto
        self.names_lanes = options.lane is not None
        self.obeys_robots = options.robots

    def holds_back(self, slots: int) -> bool:
        """Whether the run's limits for lanes keep workers of so many slots from all they could do;
        in flight there may be as many as a few of them need, and more.
        """
        limits = self._lane_limits
        few = limits.in_flight is not None and limits.in_flight < _ENOUGH_WORKERS * slots
        return few or (limits.every_seconds > 0 and not limits.public_only)


def _keeps_pages(run: Run, scraper: Scraper) -> bool:
    """As the run was begun, whichever worker meets it; else as the scraper says here."""
    noted = run.params.get(RESERVED_PARAM, {}).get("store_pages")
    return bool(scraper.options.store_pages if noted is None else noted)
