"""Pages that change while they are looked at: one stream each, parts of the page as they change."""

from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from fastapi import Request
from fastapi.responses import StreamingResponse

from swather.api.served import Served
from swather.errors import SwatherError
from swather.masking import masked
from swather.store import Store

# The parts of a page by the id of the element whose content they are.
Regions = Mapping[str, str]


def stream(request: Request, served: Served, read: Callable[[Store], Regions]) -> StreamingResponse:
    """The parts of the page at this address, read once a second for all that look at it."""

    def regions() -> Regions:
        with served.stores.borrowed() as store:
            return read(store)

    address = str(request.url.replace(scheme="", netloc=""))
    watched = served.live.watch(f"page {address}", regions)
    return StreamingResponse(
        _events(watched), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


def parts_now(served: Served, address: str, read: Callable[[], Regions]) -> Regions:
    """The parts of a page for its first drawing; `address` is that of its stream. Many who open it
    at once are shown what one of them has read.
    """
    return served.recent.read(f"page {address}", read)


async def _events(watched: AsyncIterator[Any]) -> AsyncIterator[bytes]:
    """What has changed since this client was last told, and a tick if nothing has."""
    sent: dict[str, str] = {}
    async for value in watched:
        if isinstance(value, SwatherError):
            yield _event("away", {"detail": masked(str(value))})
            continue
        for name, html in value.items():
            if sent.get(name) != html:
                sent[name] = html
                yield _event("region", {"id": name, "html": str(html)})
        yield _event("tick", {"at": datetime.now(UTC).isoformat(timespec="seconds")})


def _event(name: str, data: dict[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(data))
