"""Serves an application until it is told to stop."""

import asyncio
import errno
import ipaddress
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Final

import uvicorn
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from swather.api.guard import App
from swather.errors import InputError, PortTaken

BACKLOG: Final = 2_048
MAX_FRAME_BYTES: Final = 64 << 10
DRAIN_SECONDS: Final = 3
MAX_HEADERS_BYTES: Final = 64 << 10
# A WebSocket that is over, and whose client takes nothing any more, is cut off after so long.
CUT_SECONDS: Final = 2.0
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; InputError says why it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        listening.close()
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise PortTaken(
                f"port {port} of {host} is taken, perhaps by another `swather serve`; choose "
                "another with --port, or --port 0 for any free one"
            ) from error
        raise InputError(f"cannot listen on {host}:{port}: {error}") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """'http://127.0.0.1:8765'. One that listens everywhere is named as this machine."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server:
    """One that serves in the thread that calls `run`, until `stop` or a signal. `ending` is awaited
    then, before clients are: it ends the streams that would go on for ever.
    """

    def __init__(
        self, app: App, listening: socket.socket, ending: Callable[[], Awaitable[None]]
    ) -> None:
        self._listening = listening
        self._server = _Uvicorn(
            ending,
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                http="h11",
                ws=_WebSocket,
                ws_max_size=MAX_FRAME_BYTES,
                ws_per_message_deflate=False,
                h11_max_incomplete_event_size=MAX_HEADERS_BYTES,
                timeout_graceful_shutdown=DRAIN_SECONDS,
                lifespan="on",
            ),
        )
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)

    @property
    def has_started(self) -> bool:
        return self._server.started

    def run(self, *, handles_signals: bool = True) -> None:
        self._server.handles_signals = handles_signals
        asyncio.run(self._server.serve(sockets=[self._listening]))

    def stop(self) -> None:
        """From any thread: answers that are under way get some seconds to end."""
        self._server.should_exit = True


class _Uvicorn(uvicorn.Server):
    handles_signals = True

    def __init__(self, ending: Callable[[], Awaitable[None]], config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._ending()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Unlike uvicorn, it does not die of the signal afterwards: there is more to close."""
        if not self.handles_signals:
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _WebSocket(WebSocketsSansIOProtocol):
    """Closing waits until a client has taken what was written for it; some never do. A refusal that
    was sent whole completes the handshake, which the library would complain of.
    """

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body"):
            self.handshake_complete = True

    async def run_asgi(self) -> None:
        await super().run_asgi()
        if not self.disconnected:
            self.loop.call_later(CUT_SECONDS, self.transport.abort)
