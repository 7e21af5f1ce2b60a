"""A stored robots.txt."""

from datetime import datetime

import msgspec


class StoredRobots(msgspec.Struct, frozen=True, kw_only=True):
    """An origin's response to the request for its robots.txt."""

    origin: str
    status: int
    body: bytes
    fetched_at: datetime
    is_fresh: bool
