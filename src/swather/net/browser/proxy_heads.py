"""The heads of requests that come through the guard proxy: read strictly, and rewritten."""

import asyncio
import re
from typing import Final, NamedTuple

from swather.net.browser.upstream import read_head

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Between us and the browser, or for nobody but us.
OURS: Final = frozenset(
    {"connection", "host", "keep-alive", "proxy-authenticate", "proxy-authorization",
     "proxy-connection", "te", "trailer", "upgrade"}
)  # fmt: skip


class Head(NamedTuple):
    method: str
    target: str
    headers: list[tuple[str, str]]

    def values(self, name: str) -> list[str]:
        return [value for known, value in self.headers if known.lower() == name]


async def request_head(reader: asyncio.StreamReader) -> Head | None:
    head = await read_head(reader)
    if not head:
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, target, version = first.split(" ")
    if version != "HTTP/1.1" or _NAME.fullmatch(method) is None:
        raise ValueError("this is not HTTP/1.1")
    return Head(method, target, headers_in(lines))


def headers_in(lines: list[str]) -> list[tuple[str, str]]:
    """Strictly: what two sides read differently could hide a second request in the first."""
    headers = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or _NAME.fullmatch(name) is None or "\n" in value or "\r" in value:
            raise ValueError("a header is malformed")
        headers.append((name, value.strip(" \t")))
    return headers


def written(head: Head, target: str, host: str, of_proxy: str) -> bytes:
    named = {
        name.strip().lower() for value in head.values("connection") for name in value.split(",")
    }
    kept = [
        f"{name}: {value}\r\n"
        for name, value in head.headers
        if name.lower() not in OURS and name.lower() not in named
    ]
    lines = [
        f"{head.method} {target} HTTP/1.1\r\n",
        f"Host: {host}\r\n",
        *kept,
        of_proxy,
        "Connection: close\r\n\r\n",
    ]
    return "".join(lines).encode("latin-1")


def body_length(head: Head) -> int:
    if head.values("transfer-encoding"):
        raise ValueError("a request's body has no length")
    lengths = head.values("content-length")
    if not lengths:
        return 0
    if len(lengths) > 1 or not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
        raise ValueError("a request's length is malformed")
    return int(lengths[0])
