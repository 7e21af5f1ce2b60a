"""Converts stored pages to rows and back, the same for both databases."""

import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple

from swather.errors import InputError, StoreError
from swather.model.key import KEY_BYTES
from swather.model.payload import MAX_ITEM_BYTES, decode, encode, storable
from swather.model.stored_page import StoredPage

# A body without a page is deleted an hour after it was last stored. Whoever stores it again renews
# the time once half of that has passed, and has long committed by the end of the hour.
ORPHAN_SECONDS: Final = 3_600.0
TOUCH_SECONDS: Final = 1_800.0
MAX_PART_BYTES: Final = 16 << 20
_LEVEL: Final = 3
_PLAIN: Final = ""
_ZLIB: Final = "zlib"


class PageRow(NamedTuple):
    task_id: int
    request_key: bytes
    method: str
    url: str
    status: int
    headers: str
    sha256: bytes
    fetched_at: float | None


class BodyRow(NamedTuple):
    sha256: bytes
    encoding: str
    size_bytes: int
    stored_bytes: int
    content: bytes


class PageBatch(NamedTuple):
    """What one statement can carry, in the order in which every process writes it."""

    pages: list[PageRow]
    bodies: list[BodyRow]


def prepare(pages: Sequence[StoredPage]) -> Iterator[PageBatch]:
    """Rows in batches of bounded size; of several pages of one request the last counts."""
    last = {(page.task_id, page.request_key): page for page in pages}
    rows: list[PageRow] = []
    bodies: dict[bytes, BodyRow] = {}
    size = 0
    for page in last.values():
        body = _body_of(page.content)
        if rows and size + body.stored_bytes > MAX_PART_BYTES:
            yield _part(rows, bodies)
            rows, bodies, size = [], {}, 0
        rows.append(_row_of(page, body.sha256))
        if body.sha256 not in bodies:
            bodies[body.sha256] = body
            size += body.stored_bytes
    if rows:
        yield _part(rows, bodies)


def _part(rows: list[PageRow], bodies: dict[bytes, BodyRow]) -> PageBatch:
    return PageBatch(sorted(rows), [bodies[digest] for digest in sorted(bodies)])


def _row_of(page: StoredPage, digest: bytes) -> PageRow:
    if len(page.request_key) != KEY_BYTES:
        raise InputError(f"a request key has {KEY_BYTES} bytes, got {len(page.request_key)}")
    return PageRow(
        page.task_id,
        page.request_key,
        storable(page.method),
        storable(page.url),
        page.status,
        encode(
            [[storable(name), storable(value)] for name, value in page.headers],
            what="headers",
            max_bytes=MAX_ITEM_BYTES,
        ),
        digest,
        None if page.fetched_at is None else page.fetched_at.timestamp(),
    )


def _body_of(content: bytes) -> BodyRow:
    digest = sha256(content).digest()
    packed = zlib.compress(content, _LEVEL)
    if len(packed) < len(content):
        return BodyRow(digest, _ZLIB, len(content), len(packed), packed)
    return BodyRow(digest, _PLAIN, len(content), len(content), bytes(content))


def page_of(row: tuple[Any, ...], fetched_at: datetime) -> StoredPage:
    """A page from (task_id, request_key, method, url, status, headers, encoding, content)."""
    task_id, key, method, url, status, headers, encoding, content = row
    return StoredPage(
        task_id=task_id,
        request_key=key,
        method=method,
        url=url,
        status=status,
        headers=[(name, value) for name, value in decode(headers)],
        content=_unpacked(encoding, content),
        fetched_at=fetched_at,
    )


def _unpacked(encoding: str, content: bytes) -> bytes:
    if encoding == _PLAIN:
        return content
    if encoding == _ZLIB:
        return zlib.decompress(content)
    raise StoreError(
        f"a stored page is compressed with {encoding!r}, which this release does not support"
    )
