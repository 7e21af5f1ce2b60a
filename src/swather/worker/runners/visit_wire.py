"""What a worker and its child processes say of a browser: it runs in the child, and the worker
decides about each request of its pages.
"""

from typing import Final

import msgspec

from swather.net.egress import Egress
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.rendering import Browsing
from swather.worker.runners.wire import Met


class Granted(msgspec.Struct, frozen=True):
    """To the child: a visit by its number, how its requests leave, in how many seconds its calls
    have to be over, and how the browser is to be started.
    """

    number: int
    egress: Egress
    session: str
    block: list[str]
    user_agent: str | None
    seconds: float
    executable: str | None
    memory_mb: int | None
    pages: int | None
    keeps_pages: bool


class Admit(msgspec.Struct, frozen=True):
    """From the child: may a request of a visit be sent? `number` is the request's own."""

    visit: int
    number: int
    is_page: bool
    url: str


class Answered(msgspec.Struct, frozen=True):
    """From the child: what became of a request; with an `error` no answer came."""

    visit: int
    number: int
    url: str
    status: int
    retry_after_seconds: float | None
    seconds: float
    error: Met | None = None


class Over(msgspec.Struct, frozen=True):
    """From the child: a request has ended; without a number, the whole visit."""

    visit: int
    number: int | None = None


class Reach(msgspec.Struct, frozen=True):
    """From the child: may a host be reached at an address?"""

    visit: int
    host: str
    port: int
    address: str
    private: bool


class Rendered(msgspec.Struct, frozen=True):
    """From the child: a page to store."""

    request: Request
    page: Page


class Seen(msgspec.Struct, frozen=True):
    """From the child: what it showed when it failed."""

    url: str
    screenshot: bytes
    html: bytes


browsing_of: Final = msgspec.msgpack.Decoder(Browsing).decode
granted_of: Final = msgspec.msgpack.Decoder(Granted).decode
admit_of: Final = msgspec.msgpack.Decoder(Admit).decode
answered_of: Final = msgspec.msgpack.Decoder(Answered).decode
over_of: Final = msgspec.msgpack.Decoder(Over).decode
reach_of: Final = msgspec.msgpack.Decoder(Reach).decode
rendered_of: Final = msgspec.msgpack.Decoder(Rendered).decode
replayed_of: Final = msgspec.msgpack.Decoder(Page | None).decode
_refusal: Final = msgspec.msgpack.Decoder(str | None)
seen_of: Final = msgspec.msgpack.Decoder(Seen).decode


def refusal_of(body: bytes) -> str | None:
    why: str | None = _refusal.decode(body)
    return why
