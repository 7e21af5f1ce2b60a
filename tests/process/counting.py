"""A web server that notes when each request came, and little else, so that it is never late."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple, Self

Answer = tuple[int, dict[str, str], bytes]
AnswerTo = Callable[[str, str], Answer]
FINE: Answer = (200, {}, b"<h1>here</h1>")


class Arrival(NamedTuple):
    at: float
    host: str
    path: str
    status: int


class CountingSite:
    """Serves several loopback addresses at one port, for the length of a `with` block.

    `answer(host, path)` says what is answered; it is called on the server's thread. `most_at_once`:
    how many requests were in flight together on each host.
    """

    def __init__(self, *hosts: str) -> None:
        self.hosts = hosts or ("127.0.0.1",)
        self.arrivals: list[Arrival] = []
        self.answer: AnswerTo = lambda _host, _path: FINE
        self.port = 0
        self.seconds_to_answer = 0.0
        self.at_once: Counter[str] = Counter()
        self.most_at_once: Counter[str] = Counter()
        self.lines: set[asyncio.Transport] = set()
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        self._loop.run_until_complete(self._listen())
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def lane(self, host: str) -> str:
        return f"{host}:{self.port}"

    def of(self, host: str, *, since: float = 0.0) -> list[Arrival]:
        return [one for one in list(self.arrivals) if one.host == host and one.at >= since]

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        self._servers = []
        for host in self.hosts:
            server = await loop.create_server(lambda: _Line(self), host, self.port, backlog=512)
            self.port = server.sockets[0].getsockname()[1]
            self._servers.append(server)

    async def _hang_up(self) -> None:
        for server in self._servers:
            server.close()
        # A connection that is being accepted right now becomes a line, and is closed like the rest.
        while accepting := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(accepting)
        while self.lines:
            for line in list(self.lines):
                line.abort()
            await asyncio.sleep(0)


class _Line(asyncio.Protocol):
    def __init__(self, site: CountingSite) -> None:
        self._site = site
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._host = transport.get_extra_info("sockname")[0]
        self._site.lines.add(transport)

    def connection_lost(self, _: Exception | None) -> None:
        self._site.lines.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        at = time.monotonic()
        self._head += data
        while b"\r\n\r\n" in self._head:
            head, _, self._head = self._head.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            status, headers, body = self._site.answer(self._host, path)
            self._site.arrivals.append(Arrival(at, self._host, path, status))
            lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            lines += [f"Content-Length: {len(body)}", "", ""]
            self._answer_later("\r\n".join(lines).encode() + body)

    def _answer_later(self, answer: bytes) -> None:
        site, host = self._site, self._host
        site.at_once[host] += 1
        site.most_at_once[host] = max(site.most_at_once[host], site.at_once[host])

        def write() -> None:
            site.at_once[host] -= 1
            self._transport.write(answer)

        asyncio.get_running_loop().call_later(site.seconds_to_answer, write)


def most_in(arrivals: list[Arrival], seconds: float = 1.0) -> int:
    """The most arrivals within any such time."""
    times = sorted(one.at for one in arrivals)
    most = first = 0
    for last, at in enumerate(times):
        while at - times[first] >= seconds:
            first += 1
        most = max(most, last - first + 1)
    return most
