"""The only way out of the browser: a proxy of ours on loopback.

It asks the guard about every host, whatever in a page wants it: a script, an iframe, a WebSocket, a
redirect. It connects to the address that was checked, or through the egress, and to nothing else.
Each context of the browser logs in with a password of its own; nobody else can use the proxy.

What cannot be had is a refused tunnel to the browser, or a connection that ends without an answer:
a page never sees an answer that its site did not give.
"""

import asyncio
import base64
import secrets
from typing import Final, NamedTuple

from swather.errors import SwatherError
from swather.net.browser.proxy_heads import Head, request_head
from swather.net.browser.proxy_ways import Door, NotReachedError, forward, tunnel
from swather.net.browser.upstream import MAX_HEAD_BYTES, Connection

# How long a connection of the browser may take for its request.
HEAD_SECONDS: Final = 300.0
_AUTHENTICATE: Final = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
    b'Proxy-Authenticate: Basic realm="swather"\r\nContent-Length: 0\r\n\r\n'
)


class Credentials(NamedTuple):
    user: str
    password: str


class GuardProxy:
    """Belongs to the thread of its loop."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._doors: dict[str, Door] = {}
        self._serving: dict[asyncio.Task[None], str] = {}
        self.url = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        serving = list(self._serving)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    def register(self, door: Door) -> Credentials:
        """The name and password with which a context comes through this door."""
        credentials = Credentials(secrets.token_hex(8), secrets.token_hex(24))
        self._doors[_authorization(credentials)] = door
        return credentials

    def forget(self, credentials: Credentials) -> None:
        """Nobody comes through this door any more, and who is outside is cut off."""
        key = _authorization(credentials)
        self._doors.pop(key, None)
        for task, used in list(self._serving.items()):
            if used == key:
                task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving[task] = ""
        try:
            await self._answer(task, Connection(reader, writer))
        except (
            OSError,
            ValueError,
            EOFError,
            SwatherError,
            NotReachedError,
            asyncio.CancelledError,
        ):
            # The end of the connection is all that the browser is told.
            pass
        finally:
            del self._serving[task]
            writer.transport.abort()

    async def _answer(self, task: asyncio.Task[None], browser: Connection) -> None:
        async with asyncio.timeout(HEAD_SECONDS):
            head = await request_head(browser.reader)
            while head is not None and (door := self._door_of(task, head)) is None:
                browser.writer.write(_AUTHENTICATE)
                head = await request_head(browser.reader)
        if head is None:
            return
        assert door is not None
        if head.method == "CONNECT":
            await tunnel(door, head, browser)
        else:
            await forward(door, head, browser)

    def _door_of(self, task: asyncio.Task[None], head: Head) -> Door | None:
        given = head.values("proxy-authorization")
        # The keys are too long to be guessed by the time that a lookup takes.
        if len(given) != 1 or (door := self._doors.get(given[0])) is None:
            return None
        self._serving[task] = given[0]
        return door


def _authorization(credentials: Credentials) -> str:
    pair = f"{credentials.user}:{credentials.password}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"
