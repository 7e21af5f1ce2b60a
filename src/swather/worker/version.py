"""Which code a worker runs, in short, for its row."""

import hashlib
import inspect
from collections.abc import Iterable
from pathlib import Path

from swather.model.task import MAX_NAME_BYTES
from swather.scraping.scraper import Scraper


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
