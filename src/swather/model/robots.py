"""A site's robots.txt, as it is remembered."""

from datetime import datetime

import msgspec


class StoredRobots(msgspec.Struct, frozen=True, kw_only=True):
    """What an origin answered when it was asked for its robots.txt."""

    origin: str
    status: int
    body: bytes
    fetched_at: datetime
    is_fresh: bool
