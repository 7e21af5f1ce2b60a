"""A web site on loopback that behaves as a test asks, also badly."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ssl import SSLContext
from typing import NamedTuple

from swather.testing.connections import Connections


class Asked(NamedTuple):
    """A request as the site saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


def respond(body: bytes = b"", status: str = "200 OK", **headers: str) -> Answer:
    """Answer with a body; header names are written with '_' for '-'."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def send(raw: bytes, *, close: bool = False) -> Answer:
    """Answer with these bytes as they are."""

    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        if close:
            writer.close()

    return answer


class Site:
    """Where it is, what it answers by path, and what it was asked."""

    def __init__(self, pages: dict[str, Answer]) -> None:
        self.pages = pages
        self.asked: list[Asked] = []
        self.connections = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, OSError):
            while True:
                asked = await _read(reader)
                self.asked.append(asked)
                await self.pages[asked.path.partition("?")[0]](asked, writer)


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ")
    headers = dict(line.lower().split(": ", 1) for line in lines if line)
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(method, path, headers, body)


@asynccontextmanager
async def site(*, tls: SSLContext | None = None, **pages: Answer):
    """Serve pages by the name of their path for the length of a block."""
    served = Site({f"/{name}": answer for name, answer in pages.items()})
    connections = Connections(served.serve)
    server = await asyncio.start_server(connections.open, "127.0.0.1", 0, ssl=tls)
    scheme = "http" if tls is None else "https"
    served.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield served
    finally:
        await connections.close(server)
