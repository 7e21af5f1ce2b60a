"""What a worker knows of a run whose tasks it executes."""

from typing import Any

from swather.model.run import Run
from swather.scraping.context import RunInfo
from swather.scraping.params import typed
from swather.scraping.scraper import Scraper


class Job:
    """A run with its scraper, read once and then used for each of its tasks."""

    __slots__ = (
        "backoff",
        "budgets",
        "delay",
        "info",
        "is_limited",
        "isolation",
        "params",
        "run",
        "scraper",
        "timeout",
    )

    def __init__(self, run: Run, scraper: Scraper) -> None:
        options = scraper.options
        self.run = run
        self.scraper = scraper
        self.info = RunInfo(run.id, run.name, run.version)
        self.params: Any = typed(scraper, run.params)
        self.timeout = options.timeout
        self.isolation = scraper.isolation
        self.budgets = options.budgets()
        self.backoff = options.backoff_policy()
        self.delay = options.delay_range()
        self.is_limited = not run.lane_limits.are_none
