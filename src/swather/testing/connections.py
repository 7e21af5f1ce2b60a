"""The connections of a server on loopback, so that stopping it leaves none open."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

# asyncio takes this many turns from accepting a connection to telling us of it.
_TURNS_UNTIL_OPEN: Final = 5


class Connections:
    """Serves each connection in a task of its own. Belongs to the thread of its loop."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._writers: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def open(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What `asyncio.start_server` calls. Not a coroutine: one that is cancelled before its
        first step could not close what it was given.
        """
        task = asyncio.get_running_loop().create_task(self._served(reader, writer))
        self._writers[task] = writer
        task.add_done_callback(self._writers.pop)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        finally:
            writer.close()

    async def close(self, server: asyncio.Server) -> None:
        """Close the server and cut off all who are connected."""
        # A server that is closed drops what it accepted in the same turn, without closing it.
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening.fileno())
        for _ in range(_TURNS_UNTIL_OPEN):
            await asyncio.sleep(0)
        server.close()
        writers = dict(self._writers)
        for task, writer in writers.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*writers, return_exceptions=True)
