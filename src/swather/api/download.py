"""An answer of any length: it ends when its client takes nothing more of it."""

import asyncio
import logging
from collections.abc import Generator
from itertools import chain
from typing import Any

import anyio
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Send

from swather.api.turns import IDLE_SECONDS

_log = logging.getLogger(__name__)


class _IdleError(Exception):
    """The client has taken nothing for too long."""


class Download(StreamingResponse):
    """`chunks` holds what others wait for, so it is closed as soon as the answer has ended, in
    whatever way. The first chunk is made at once: what is wrong is told before the answer begins.
    """

    def __init__(
        self, chunks: Generator[bytes], *, idle_seconds: float | None = None, **given: Any
    ) -> None:
        super().__init__(chain([next(chunks, b"")], chunks), **given)
        self._chunks = chunks
        self._idle_seconds = IDLE_SECONDS if idle_seconds is None else idle_seconds

    async def stream_response(self, send: Send) -> None:
        """The server closes the connection of an answer that has no end."""

        async def send_in_time(message: Message) -> None:
            try:
                async with asyncio.timeout(self._idle_seconds):
                    await send(message)
            except TimeoutError:
                raise _IdleError from None

        try:
            await super().stream_response(send_in_time)
        except _IdleError:
            _log.warning(
                "a download was broken off: its client took nothing for %g seconds",
                self._idle_seconds,
            )
        finally:
            with anyio.CancelScope(shield=True):
                await run_in_threadpool(self._chunks.close)
