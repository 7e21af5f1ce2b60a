"""Serves the metrics of a worker, on a thread and a port of their own.

Who asks must know a token, as for /metrics of `swather serve`: other users of the machine reach
loopback, too. Requests are answered one at a time, since Prometheus asks every few seconds.
"""

import logging
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer
from typing import Any, Final

from swather.worker.exposition import CONTENT_TYPE
from swather.worker.settings import MetricsAddress

# A client that says nothing for so long is cut off, so that others get their turn.
CLIENT_SECONDS: Final = 2.0
# How soon the thread notices that it should end.
LOOK_SECONDS: Final = 0.1
JOIN_SECONDS: Final = 1.0
PATH: Final = "/metrics"

_log = logging.getLogger(__name__)


class MetricsServer(threading.Thread):
    """Listens when it is made. If the port is taken, it says so, and serves nothing."""

    def __init__(self, address: MetricsAddress, exposition: Callable[[], bytes]) -> None:
        super().__init__(name="swather-metrics", daemon=True)
        self._stopped = threading.Event()
        self._server: HTTPServer | None = None
        try:
            self._server = _Listening(address, exposition)
        except (OSError, OverflowError) as error:
            _log.warning(
                "this worker serves no metrics: it cannot listen on %s port %d: %s",
                address.host,
                address.port,
                error,
            )
        else:
            host, port = self._server.server_address[:2]
            _log.info("metrics of this worker: http://%s:%d%s", host, port, PATH)

    def run(self) -> None:
        while self._server is not None and not self._stopped.is_set():
            self._server.handle_request()

    def stop(self) -> None:
        self._stopped.set()
        if self.is_alive():
            self.join(JOIN_SECONDS)
        if self._server is not None and not self.is_alive():
            self._server.server_close()


class _Listening(HTTPServer):
    timeout = LOOK_SECONDS

    def __init__(self, address: MetricsAddress, exposition: Callable[[], bytes]) -> None:
        self.tokens = address.tokens
        self.exposition = exposition
        if ":" in address.host:
            self.address_family = socket.AF_INET6
        super().__init__((address.host, address.port), _Handler)

    def server_bind(self) -> None:
        # Not HTTPServer's: that asks the resolver for the name of the host, which may take long.
        TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        del request
        _log.debug("a request for metrics from %s failed", client_address, exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    timeout = CLIENT_SECONDS
    server: _Listening
    server_version = "swather"
    sys_version = ""

    def do_GET(self) -> None:
        if not self._is_known():
            self._answer(
                HTTPStatus.UNAUTHORIZED,
                b"send a token of `swather serve --show-token`: Authorization: Bearer TOKEN\n",
            )
        elif self.path.partition("?")[0] != PATH:
            self._answer(HTTPStatus.NOT_FOUND, b"metrics are at /metrics\n")
        else:
            self._answer(HTTPStatus.OK, self.server.exposition(), CONTENT_TYPE)

    def _is_known(self) -> bool:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and (
            self.server.tokens.role_of(token.strip()) is not None
        )

    def _answer(
        self, status: HTTPStatus, body: bytes, content_type: str = "text/plain; charset=utf-8"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has there
        """Not in the worker's log."""
