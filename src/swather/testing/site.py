"""A web site on loopback: a stand-in for the outside world, in tests and in the demo.

with FakeSite({"/": "<h1>Hello</h1>", "/gone": Answer(status=410)}) as site:
    page = fetch(site.url + "/")
assert site.requests == {"/": 1}
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType
from typing import Final, NamedTuple, Self

from swather.errors import InputError
from swather.testing.connections import Connections

_HTML: Final = "text/html; charset=utf-8"
_CLOSED: Final = (asyncio.IncompleteReadError, ConnectionError, TimeoutError)


class Asked(NamedTuple):
    """A request as the site saw it; `times` is 1 when its path was requested for the first time."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    times: int


class Answer(NamedTuple):
    """What the site says, `seconds` after it was asked."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = {}
    seconds: float = 0.0


Route = str | bytes | Answer | Callable[[Asked], str | bytes | Answer]
_NOT_FOUND: Final = Answer("<h1>Not found</h1>", 404)


class FakeSite:
    """A small HTTP/1.1 server in a thread of its own, for the length of a `with` block.

    `routes` has an answer for each path, or a function that gives one; any other path is 404.
    `requests` counts what was asked, by path. Port 0 takes one that is free.
    """

    def __init__(self, routes: Mapping[str, Route], *, port: int = 0) -> None:
        self.routes = dict(routes)
        self.requests: Counter[str] = Counter()
        self.url = ""
        self._port = port
        self._connections = Connections(self._serve)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Serve from now on; InputError when the port is taken."""
        self._loop = asyncio.new_event_loop()
        serving = asyncio.start_server(self._connections.open, "127.0.0.1", self._port, backlog=512)
        try:
            self._server = self._loop.run_until_complete(serving)
        except OSError as error:
            self._loop.close()
            raise InputError(
                f"port {self._port} of this machine cannot be used: {error.strerror}"
            ) from error
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        # A site that is never stopped does not keep its process alive.
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="fake site", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Close all connections."""
        closing = self._connections.close(self._server)
        asyncio.run_coroutine_threadsafe(closing, self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(*_CLOSED):
            while await self._answer_one(reader, writer):
                pass

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """False when the connection should be closed."""
        try:
            asked = await self._read(reader)
        except (ValueError, asyncio.LimitOverrunError):
            writer.write(_encoded(Answer(status=400), "GET", close=True))
            await writer.drain()
            return False
        return await self._respond(asked, writer)

    async def _respond(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        answer = self._answer_to(asked)
        if answer.seconds:
            await asyncio.sleep(answer.seconds)
        close = asked.headers.get("connection", "").lower() == "close"
        writer.write(_encoded(answer, asked.method, close=close))
        await writer.drain()
        return not close

    async def _read(self, reader: asyncio.StreamReader) -> Asked:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, address, _version = first.split(" ")
        path, _, query = address.partition("?")
        pairs = [line.split(":", 1) for line in lines]
        headers = {name.lower(): value.strip() for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests[path] += 1
        return Asked(method, path, query, headers, body, self.requests[path])

    def _answer_to(self, asked: Asked) -> Answer:
        route = self.routes.get(asked.path, _NOT_FOUND)
        try:
            said = route(asked) if callable(route) else route
        except Exception as error:  # noqa: BLE001 - a route is a test's own code
            return Answer(f"the route failed: {error!r}", 500)
        return said if isinstance(said, Answer) else Answer(said)


def _encoded(answer: Answer, method: str, *, close: bool) -> bytes:
    body = answer.body.encode() if isinstance(answer.body, str) else answer.body
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    headers = {"Content-Type": _HTML, **answer.headers, "Content-Length": str(len(body))}
    if close:
        headers["Connection"] = "close"
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
    return head if method == "HEAD" else head + body
