"""The verb of what scrapers remember across their runs. It is committed with results: see Queue."""

from collections.abc import Collection
from typing import Any, Protocol


class Memories(Protocol):
    def recall(
        self, scraper: str, keys: Collection[str], *, max_age_seconds: float | None = None
    ) -> dict[str, Any]:
        """What the scraper has remembered under these keys, no longer ago than that."""
        ...
