"""Fetched pages that are kept, so that a changed scraper can read them again."""

from datetime import datetime
from hashlib import sha256

import msgspec


class KeptPage(msgspec.Struct, frozen=True, kw_only=True):
    """What a request of a task brought; `url` is where redirects led. A later page of the same task
    and request takes its place. `fetched_at` None is filled in by the store.
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
    """What makes two requests the same; the parts are set apart by their lengths."""
    parts = (method.upper().encode(), url.encode("utf-8", "surrogatepass"), body or b"")
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()
