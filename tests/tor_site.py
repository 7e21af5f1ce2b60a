"""A site that knows by which exit of the Tor network each request came."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.tor_network import SITE, TorNetwork


class TorSite:
    """It answers with the name of the exit, '' for whoever comes directly. A path such as
    /429 is answered with that status on a connection's first request to it.

    `log` has the exit and the path of every request.
    """

    def __init__(self, network: TorNetwork, address: tuple[str, int]) -> None:
        self.log: list[tuple[str, str]] = []
        self._network = network
        self._statuses: dict[str, int] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site._answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(address, Handler)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        """As clients of the network know it."""
        return f"http://{SITE}:{self.port}"

    def answer_once(self, path: str, status: int) -> None:
        self._statuses[path] = status

    def exits(self, path: str) -> list[str]:
        """By which the requests for a path came."""
        return [came_by for came_by, asked in self.log if asked == path]

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        path = urlsplit(request.path).path
        came_by = self._network.who_has(request.client_address[1])
        self.log.append((came_by, path))
        status = self._statuses.pop(path, 404 if path == "/robots.txt" else 200)
        body = came_by.encode()
        with suppress(ConnectionError):
            request.send_response(status)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)


@contextmanager
def tor_site(network: TorNetwork, address: tuple[str, int] = ("127.0.0.1", 0)) -> Iterator[TorSite]:
    site = TorSite(network, address)
    try:
        yield site
    finally:
        site.close()
