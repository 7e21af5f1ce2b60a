"""The engine's mailbox: any thread posts messages, the engine reads them on the loop."""

import asyncio
from collections import deque
from contextlib import suppress

import msgspec


class Message(msgspec.Struct, frozen=True, gc=False):
    """Something the engine has to know."""


class Mailbox:
    """Messages are read in the order in which they were posted."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._messages: deque[Message] = deque()
        self._reader: asyncio.Future[None] | None = None

    def post(self, message: Message) -> None:
        """From any thread."""
        self._messages.append(message)
        with suppress(RuntimeError):  # the loop was closed: nobody is left to read it
            self._loop.call_soon_threadsafe(self._wake)

    def put(self, message: Message) -> None:
        """From the loop's own thread, where it costs less."""
        self._messages.append(message)
        self._wake()

    async def read(self) -> list[Message]:
        """All messages there are, once there is one."""
        while not self._messages:
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self.take()

    def take(self) -> list[Message]:
        """Those there are, without waiting. Others may be posted meanwhile, and are left."""
        messages = self._messages
        return [messages.popleft() for _ in range(len(messages))]

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
