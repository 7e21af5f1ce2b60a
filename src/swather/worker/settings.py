"""What a worker is told when it is made."""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from swather.model.lease import Strategy
from swather.model.task import MAX_NAME_BYTES
from swather.model.worker import NewWorker
from swather.net.fetcher import Fetcher
from swather.scraping.scraper import Scraper
from swather.worker.access.sites import Politeness


@dataclass(frozen=True, kw_only=True)
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
    new_fetcher: Callable[[], Fetcher]
    politeness: Politeness
    new_worker: NewWorker


def version_of(scrapers: Iterable[Scraper]) -> str:
    """'books 2.1, shops 3f2a90c1': the version each scraper states, else a hash of its file."""
    told = ", ".join(f"{scraper.name} {_version_of(scraper)}" for scraper in scrapers)
    return told if len(told.encode()) <= MAX_NAME_BYTES else told[: MAX_NAME_BYTES // 4] + "…"


def _version_of(scraper: Scraper) -> str:
    if scraper.options.version:
        return scraper.options.version
    try:
        path = inspect.getsourcefile(scraper.function)
        return hashlib.sha256(Path(path or "").read_bytes()).hexdigest()[:8]
    except (OSError, TypeError):
        return "unknown"
