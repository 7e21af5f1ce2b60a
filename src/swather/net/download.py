"""A download: the body of an answer as a file, written while it arrives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import msgspec

from swather.net.body import Sink
from swather.net.errors import HttpStatusError, TooLarge, retry_after_seconds
from swather.net.fetch_policy import FetchPolicy
from swather.net.fetcher import Fetcher
from swather.net.page import Headers, Page
from swather.net.request import Request

# What is written at a time when a fetcher has the whole body in memory.
_PIECE_BYTES: Final = 256 << 10


class Download(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was downloaded: `status`, `url` after redirects, `headers`, `size_bytes`,
    `sha256`. `media_type` is what its first bytes say, '' if they say nothing, and
    `announced_type` what the site says.

    The file is at `path` until it is saved or the attempt ends. It is there to be read.
    """

    url: str
    status: int
    raw_headers: Sequence[tuple[str, str]]
    location: str
    size_bytes: int
    sha256: str
    media_type: str

    @property
    def path(self) -> Path:
        return Path(self.location)

    @property
    def headers(self) -> Headers:
        return Headers(self.raw_headers)

    @property
    def announced_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def raise_for_status(self) -> None:
        """Raise HttpStatusError for a status of 400 or more."""
        if self.status >= 400:
            raise HttpStatusError(self.status, self.url, retry_after_seconds(self.headers))


@runtime_checkable
class Downloading(Protocol):
    """A fetcher that passes on the body of an answer as it arrives."""

    async def download(
        self, request: Request, policy: FetchPolicy, sink: Sink, max_bytes: int | None
    ) -> Page:
        """The answer without its content, which went to the sink."""
        ...


async def download(
    fetcher: Fetcher, request: Request, policy: FetchPolicy, sink: Sink, max_bytes: int | None
) -> Page:
    """By any fetcher: one that cannot pass on a body as it arrives gives it as a whole."""
    if isinstance(fetcher, Downloading):
        return await fetcher.download(request, policy, sink, max_bytes)
    page = await fetcher.fetch(request, policy)
    if max_bytes is not None and len(page.content) > max_bytes:
        raise TooLarge(f"{page.url} has more than {max_bytes:,} bytes")
    for start in range(0, len(page.content), _PIECE_BYTES):
        await sink.write(page.content[start : start + _PIECE_BYTES])
    return msgspec.structs.replace(page, content=b"")
