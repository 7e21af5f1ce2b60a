"""Proxies on loopback: real HTTP and SOCKS5 proxies that die, ban and come back when they are told.

with LocalProxies(3, hosts={"shop.example": site.url}) as proxies:
    proxies[0].die()
    proxies[1].ban("shop.example", status=429)
    … fetch http://shop.example/ through proxies[2].url …
assert [one.host for one in proxies[2].log] == ["shop.example"]
"""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, overload
from urllib.parse import urlsplit

from swather.testing.connections import Connections
from swather.testing.proxying import CLOSED, VIA, Ban, HttpProxying, SocksProxying, Streams

__all__ = ["VIA", "LocalProxies", "LocalProxy", "Passed"]

_SOCKS5: Final = 5


class Passed(NamedTuple):
    """A request that reached a proxy, `at` on the monotonic clock. `verdict`: what it did with it:
    'passed', 'banned', 'no login' or 'unreachable'.
    """

    at: float
    host: str
    path: str
    verdict: str


class LocalProxy:
    """One of LocalProxies; see there. Its `log` has every request that reached it."""

    def __init__(self, proxies: "LocalProxies", name: str, scheme: str, login: str) -> None:
        self.name = name
        self.log: list[Passed] = []
        self.delay_seconds = 0.0
        self._proxies = proxies
        self._scheme = scheme
        self._login = login
        self._bans: dict[str, Ban] = {}
        self._port = 0
        self._server: asyncio.Server | None = None
        self._connections = Connections(self._serve)

    @property
    def url(self) -> str:
        login = f"{self._login}@" if self._login else ""
        return f"{self._scheme}://{login}127.0.0.1:{self._port}"

    def die(self) -> None:
        """Refuse all connections, and drop those there are."""
        self._proxies.wait_for(self._stop())

    def revive(self) -> None:
        self._proxies.wait_for(self._start())

    def ban(
        self,
        host: str = "",
        *,
        status: int = 429,
        retry_after_seconds: float | None = None,
        seconds: float = float("inf"),
    ) -> None:
        """From now on and for `seconds`, sites answer with this status to what goes through it: one
        host, or all. That needs http; what is encrypted is passed on as it is.
        """
        self._bans[host] = Ban(status, retry_after_seconds, time.monotonic() + seconds)

    def unban(self, host: str = "") -> None:
        self._bans.pop(host, None)

    async def _start(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(
                self._connections.open, "127.0.0.1", self._port, backlog=512
            )
            self._port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._server is not None:
            await self._connections.close(self._server)
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(*CLOSED):
            first = await reader.readexactly(1)
            if first[0] == _SOCKS5:
                await SocksProxying(self, reader, writer).serve()
            else:
                await HttpProxying(self, reader, writer).serve(first)

    def allows(self, login: str) -> bool:
        return not self._login or login == self._login

    def ban_on(self, host: str) -> Ban | None:
        for banned in (self._bans.get(host), self._bans.get("")):
            if banned is not None and banned.until > time.monotonic():
                return banned
        return None

    def note(self, host: str, path: str, verdict: str) -> None:
        self.log.append(Passed(time.monotonic(), host, path, verdict))

    async def connect(self, host: str, port: int) -> Streams:
        if self.delay_seconds:
            await asyncio.sleep(self.delay_seconds)
        return await asyncio.open_connection(*self._proxies.address_of(host, port))


class LocalProxies(Sequence[LocalProxy]):
    """Proxies in a thread of their own, for the length of a `with` block.

    Every one of them speaks HTTP (requests to pass on, CONNECT) and SOCKS5 on its port; `scheme` is
    that of their URLs. With a `login`, 'user:password', they ask for it. `hosts` has the real
    address (a URL) of names that exist for these proxies alone, so that a request that does not go
    through one of them fails. They add the header Via, with their name, to what they pass on.
    """

    def __init__(
        self,
        count: int,
        *,
        hosts: Mapping[str, str] | None = None,
        scheme: str = "http",
        login: str = "",
    ) -> None:
        self._places = {
            name: (address.hostname or "", address.port or 80)
            for name, address in ((name, urlsplit(url)) for name, url in (hosts or {}).items())
        }
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="local proxies", daemon=True
        )
        self._proxies = [
            LocalProxy(self, f"proxy-{number}", scheme, login) for number in range(count)
        ]

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
        self._thread.start()
        for proxy in self._proxies:
            proxy.revive()

    def stop(self) -> None:
        """Close all connections."""
        for proxy in self._proxies:
            proxy.die()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def urls(self) -> list[str]:
        return [proxy.url for proxy in self._proxies]

    @overload
    def __getitem__(self, index: int) -> LocalProxy: ...
    @overload
    def __getitem__(self, index: slice) -> list[LocalProxy]: ...
    def __getitem__(self, index: int | slice) -> LocalProxy | list[LocalProxy]:
        return self._proxies[index]

    def __len__(self) -> int:
        return len(self._proxies)

    def __iter__(self) -> Iterator[LocalProxy]:
        return iter(self._proxies)

    def wait_for(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Done in the thread of the proxies."""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def address_of(self, host: str, port: int) -> tuple[str, int]:
        """Where a host really is."""
        return self._places.get(host, (host, port))
