"""What a source of pictures and videos is: asked for something, it lists what it has of it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping
from typing import ClassVar, Final, Literal, Protocol

import msgspec

from swather.errors import SwatherError
from swather.net.page import Page

Kind = Literal["image", "video"]
# Each allows more than the next: 'reuse' any reuse, 'commercial' also for money.
Licence = Literal["any", "reuse", "commercial", "public_domain"]
Filter = Literal["size", "type", "licence"]
Why = Literal["no_key", "invalid_key", "blocked", "layout_changed", "not_offered"]

IMAGE: Final[frozenset[Kind]] = frozenset({"image"})
IMAGE_AND_VIDEO: Final[frozenset[Kind]] = frozenset({"image", "video"})


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What every source is asked for; `types` are 'jpeg', 'png', 'mp4' and the like, none is any.

    `limit` is how many will be taken: a source may use it for the size of its pages.
    """

    query: str
    limit: int
    kinds: frozenset[Kind] = IMAGE
    min_width: int = 0
    min_height: int = 0
    types: frozenset[str] = frozenset()
    licence: Licence = "any"


class Found(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A picture or video that a source has: where its file is, and what the source says of it.

    `headers` go with the download. `announce_url` is what the source wants to be called after it.
    """

    url: str
    kind: Kind
    source: str
    id: str = ""
    page_url: str = ""
    title: str = ""
    author: str = ""
    licence: str = ""
    licence_url: str = ""
    width: int | None = None
    height: int | None = None
    media_type: str = ""
    size_bytes: int | None = None
    headers: Mapping[str, str] = {}
    announce_url: str = ""


class SourceFailed(SwatherError):
    """A source cannot answer, and asking again at once would not help; `reason` names why."""

    def __init__(self, message: str, reason: Why) -> None:
        super().__init__(message)
        self.reason: Why = reason


class SourceWeb(Protocol):
    """The web as a source sees it: each request has the source's deadline and retries."""

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        accept: Collection[int] = (),
    ) -> Page:
        """A page; a status of 400 or more raises HttpStatusError, unless it is in `accept`.

        Timeouts, broken connections, 429 and 5xx are retried as often as the source may be.
        """
        ...

    def skip(self, why: str) -> None:
        """Count a result that cannot be used; the statistics of the source show how many."""
        ...


class Source(ABC):
    """Lists what one site has. A subclass has a `name`, a `base_url` and `find`.

    `key_name` is the environment variable of its key. An `experimental` one is asked only when it
    is named. `filters` are those of `Wanted` that the site applies itself; the others are applied
    to what it found.
    """

    name: ClassVar[str]
    base_url: str
    key_name: ClassVar[str | None] = None
    experimental: ClassVar[bool] = False
    kinds: ClassVar[frozenset[Kind]] = IMAGE
    filters: ClassVar[frozenset[Filter]] = frozenset()

    def __init__(self, *, base_url: str = "", key: str = "") -> None:
        """`base_url` replaces the site's own: a mirror, or a stand-in."""
        self.key = key
        if base_url:
            self.base_url = base_url.rstrip("/")
        if self.key_name and not key:
            raise SourceFailed(
                f"{self.name} needs a key: set the environment variable {self.key_name}", "no_key"
            )

    @abstractmethod
    def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        """What the site has, best first; a page is fetched when the one before is used up."""

    async def downloaded(self, web: SourceWeb, found: Found) -> None:  # noqa: B027 - most do not
        """Called after a file of this source was downloaded, for sites that want to know."""
