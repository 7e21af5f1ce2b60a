"""What a source of pictures and videos is: asked for something, it lists what it has of it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping
from typing import ClassVar, Final, Literal, Protocol, get_args

import msgspec

from swather.errors import SwatherError
from swather.net.page import Page

Kind = Literal["image", "video"]
# Each asks for more than the one before: that a file may be reused, also for money, by anyone.
Licence = Literal["any", "reuse", "commercial", "public_domain"]
Why = Literal["no_key", "invalid_key", "blocked", "layout_changed", "not_offered"]

Params = dict[str, str | int]

IMAGE: Final[frozenset[Kind]] = frozenset({"image"})
IMAGE_AND_VIDEO: Final[frozenset[Kind]] = frozenset({"image", "video"})
ANY_LICENCE: Final[frozenset[Licence]] = frozenset({"any"})
ALL_LICENCES: Final[frozenset[Licence]] = frozenset(get_args(Licence))


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

    def fits(self, found: "Found") -> bool:
        """Whether what the source says of a file is what is wanted; what it leaves out may be."""
        return (
            found.kind in self.kinds
            and (found.width is None or found.width >= self.min_width)
            and (found.height is None or found.height >= self.min_height)
            and (not (self.types and found.media_type) or found.type in self.types)
        )


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

    @property
    def type(self) -> str:
        """Its media type as `Wanted.types` has it: 'jpeg' for 'image/jpeg'."""
        return self.media_type.partition("/")[2].partition("+")[0]


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
        params: Params | None = None,
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

    `key_name` is the environment variable of its key. `licences` are those it can keep to. An
    `experimental` source is asked only when it is named.
    """

    name: ClassVar[str]
    base_url: str
    key_name: ClassVar[str | None] = None
    experimental: ClassVar[bool] = False
    kinds: ClassVar[frozenset[Kind]] = IMAGE
    licences: ClassVar[frozenset[Licence]] = ANY_LICENCE

    def __init__(self, *, base_url: str = "", key: str = "") -> None:
        """`base_url` replaces the site's own: a mirror, or a stand-in."""
        self.key = key
        if base_url:
            self.base_url = base_url.rstrip("/")
        if self.key_name and not key:
            raise SourceFailed(
                f"{self.name} needs a key: set the environment variable {self.key_name}", "no_key"
            )

    def check_offers(self, wanted: Wanted) -> None:
        """SourceFailed if the site has nothing of the kind, or cannot tell its licence."""
        if not self.kinds & wanted.kinds:
            lacks = " or ".join(sorted(wanted.kinds))
        elif wanted.licence not in self.licences:
            lacks = f"{wanted.licence!r} licence"
        else:
            return
        raise SourceFailed(f"{self.name} has no {lacks} search", "not_offered")

    @abstractmethod
    def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        """What the site has, best first; a page is fetched when the one before is used up.

        It is asked only for what `check_offers` accepts, and may find more than is wanted:
        what does not fit is left out by its caller.
        """

    async def downloaded(self, web: SourceWeb, found: Found) -> None:  # noqa: B027 - most do not
        """Called after a file of this source was downloaded, for sites that want to know."""
