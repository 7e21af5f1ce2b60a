"""The circuit breaker of a scraper on a lane."""

from datetime import datetime
from typing import Any

import msgspec


class Breaker(msgspec.Struct, frozen=True, kw_only=True):
    """An open breaker: one task of the scraper starts on the lane every `probe_seconds`, the next
    one at `probe_at`. `seen` is what opened it: statuses, error classes, of how many.
    """

    scraper: str
    lane: str
    opened_at: datetime
    probe_at: datetime
    probe_seconds: float
    seen: dict[str, Any]
