"""What a server serves: the database behind it, its settings, who may come in, what is live."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from swather.access_token import Role, Tokens
from swather.api.acting import Acting
from swather.api.live import Live
from swather.api.recent import Recent
from swather.api.stores import Stores
from swather.settings import Settings
from swather.store import Store


@dataclass(frozen=True, kw_only=True)
class Served:
    """Made before the application, which only holds on to it."""

    stores: Stores
    settings: Settings
    tokens: Tokens
    live: Live
    recent: Recent
    acting: Acting


def served(request: Request) -> Served:
    found: Served = request.app.state.served
    return found


def role(request: Request) -> Role:
    """The guard has let in nobody without one."""
    found: Role = request.state.role
    return found


def actor(request: Request) -> str:
    """Who is written down as having done something: the role, and where the request came from."""
    client = request.client
    return f"{request.state.role}@{client.host}" if client else str(request.state.role)


TheServed = Annotated[Served, Depends(served)]
TheRole = Annotated[Role, Depends(role)]
Actor = Annotated[str, Depends(actor)]


async def borrowed(served: TheServed) -> AsyncIterator[Store]:
    """A store for one request; for routes that are plain functions, which run in a thread."""
    async with served.stores.for_request() as store:
        yield store


# It is given back when the route has returned: a client may take its time with the answer.
TheStore = Annotated[Store, Depends(borrowed, scope="function")]
