"""What was fetched and is stored: pages, for a changed scraper to read again, and robots.txt."""

from datetime import datetime
from hashlib import sha256

import msgspec


class StoredPage(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a request of a task; `url` is where redirects led. A later page of the same
    task and request replaces it. The store fills in a `fetched_at` of None.
    """

    task_id: int
    request_key: bytes
    method: str
    url: str
    status: int
    headers: list[tuple[str, str]]
    content: bytes
    fetched_at: datetime | None = None


def request_key(method: str, url: str, body: bytes | None = None) -> bytes:
    """Equal for equal requests; length prefixes keep the parts apart."""
    parts = (method.upper().encode(), url.encode("utf-8", "surrogatepass"), body or b"")
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


class StoredRobots(msgspec.Struct, frozen=True, kw_only=True):
    """An origin's response to the request for its robots.txt."""

    origin: str
    status: int
    body: bytes
    fetched_at: datetime
    is_fresh: bool
