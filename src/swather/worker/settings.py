"""What a worker is told when it is made."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swather.model.strategy import Strategy
from swather.model.worker import NewWorker
from swather.net.fetcher import Fetcher
from swather.scraping.scraper import Scraper
from swather.worker.politeness import Politeness

OnEvent = Callable[[str, dict[str, Any]], None]


@dataclass(kw_only=True)
class Settings:
    """See swather.worker.Worker."""

    scrapers: dict[str, Scraper]
    run: str | None
    concurrency: int
    strategy: Strategy | None
    partitions: tuple[str, ...] | None
    grace_seconds: float
    forever: bool
    folder: Path
    files_folder: Path
    batch_size: int | None
    poll_seconds: float
    beat_seconds: float | None
    watchdog_seconds: float
    replay: bool
    on_event: OnEvent | None
    new_fetcher: Callable[[], Fetcher]
    politeness: Politeness
    new_worker: NewWorker
