"""Pushes the status of all work to clients of the WebSocket /jobs/status."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import msgspec
from fastapi import WebSocket, WebSocketDisconnect

from swather.api.jobs_status import live_of, read_jobs
from swather.api.problems import status_of
from swather.api.served import Served
from swather.errors import SwatherError
from swather.masking import masked

TOPIC: Final = "jobs"
# A client that does not take a message within so many seconds is dropped.
SEND_SECONDS: Final = 5.0
# Nothing is asked of clients; one that talks this much is dropped, too.
MAX_MESSAGES: Final = 100
_POLICY_VIOLATION: Final = 1008
_TRY_AGAIN: Final = 1013
_GOING_AWAY: Final = 1001


async def push_status(
    socket: WebSocket, served: Served, *, send_seconds: float = SEND_SECONDS
) -> None:
    """Once a second, until the client leaves or is dropped."""

    def read() -> bytes:
        with served.stores.borrowed() as store:
            return msgspec.json.encode(live_of(read_jobs(store)))

    await socket.accept()
    sending = asyncio.create_task(_send(socket, served.live.watch(TOPIC, read), send_seconds))
    hearing = asyncio.create_task(_hear(socket))
    try:
        ended, _ = await asyncio.wait((sending, hearing), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, hearing):
            task.cancel()
        codes = await asyncio.gather(sending, hearing, return_exceptions=True)
    code = next((code for code in codes if isinstance(code, int)), None)
    if ended and code is not None:
        await _close(socket, code, send_seconds)


async def _send(socket: WebSocket, watched: AsyncGenerator[Any], send_seconds: float) -> int | None:
    """The code to close with; None if the client has gone."""
    async with aclosing(watched):
        async for value in watched:
            message = _away(value) if isinstance(value, SwatherError) else value
            try:
                async with asyncio.timeout(send_seconds):
                    await socket.send_text(message.decode())
            except TimeoutError:
                return _TRY_AGAIN
            except (WebSocketDisconnect, RuntimeError):
                return None
    return _GOING_AWAY


async def _hear(socket: WebSocket) -> int | None:
    """What clients say is of no interest, but when they leave is."""
    for _ in range(MAX_MESSAGES):
        if (await socket.receive())["type"] == "websocket.disconnect":
            return None
    return _POLICY_VIOLATION


async def _close(socket: WebSocket, code: int, send_seconds: float) -> None:
    """Whoever takes no message does not take this one either; the server then cuts it off."""
    try:
        async with asyncio.timeout(min(send_seconds, 1.0)):
            await socket.close(code)
    except (TimeoutError, WebSocketDisconnect, RuntimeError):
        pass


def _away(error: SwatherError) -> bytes:
    """The status is unknown: the database does not answer. The next message may know again."""
    status = status_of(error)
    return msgspec.json.encode(
        {
            "error": {
                "title": status.phrase,
                "status": int(status),
                "detail": masked(str(error)),
            }
        }
    )
