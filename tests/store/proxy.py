"""A TCP proxy before PostgreSQL that can go silent: it forwards nothing more and closes nothing."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

from psycopg.conninfo import conninfo_to_dict

COMMIT = b"COMMIT\0"


class Proxy:
    """`url`: the database behind it. `is_silent`: set when a link went silent."""

    def __init__(self, url: str) -> None:
        self._server = conninfo_to_dict(url)
        self._listening = socket.create_server(("127.0.0.1", 0))
        parts = urlsplit(url)
        port = self._listening.getsockname()[1]
        netloc = f"{parts.username or 'postgres'}@127.0.0.1:{port}"
        self.url = urlunsplit(parts._replace(netloc=netloc, query=""))
        self.is_silent = threading.Event()
        self._hush_at: bytes | None = None
        self._on = b""
        self._forwards_it = False
        self._all_silent = False
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def hush_at(self, words: bytes, *, after: bool, on: bytes = b"") -> None:
        """The first link on which a client sends these words goes silent, before they are forwarded
        or `after` that; what was sent before them is. Only a link `on` which others were sent since
        these words were sent the last time.
        """
        with self._lock:
            self.is_silent.clear()
            self._hush_at, self._forwards_it, self._on = words, after, on

    def hush_all(self) -> None:
        """All links go silent, new ones too."""
        self._all_silent = True

    def close(self) -> None:
        self._all_silent = True
        for one in [self._listening, *self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = self._connect()
                self._sockets += [client, server]
                silent = threading.Event()
                for source, sink, is_client in ((client, server, True), (server, client, False)):
                    threading.Thread(
                        target=self._pump, args=(source, sink, silent, is_client), daemon=True
                    ).start()

    def _connect(self) -> socket.socket:
        host, port = str(self._server["host"]), self._server.get("port") or "5432"
        if not host.startswith("/"):
            return socket.create_connection((host, int(port)))
        link = socket.socket(socket.AF_UNIX)
        link.connect(f"{host}/.s.PGSQL.{port}")
        return link

    def _pump(
        self, source: socket.socket, sink: socket.socket, silent: threading.Event, is_client: bool
    ) -> None:
        is_on = False
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                before, words, _ = data.partition(COMMIT)
                is_on = is_on or self._on in before
                if is_client and words and is_on and self._is_time(words):
                    silent.set()
                    sink.sendall(data if self._forwards_it else _whole_messages(before))
                    self.is_silent.set()
                if silent.is_set() or self._all_silent:
                    return
                is_on = is_on and not words
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def _is_time(self, words: bytes) -> bool:
        with self._lock:
            if self._hush_at != words:
                return False
            self._hush_at = None
            return True


def _whole_messages(before_words: bytes) -> bytes:
    """Without the head of the message that the words are in: Query, or Parse without a name."""
    return before_words[: -5 if before_words[-5:-4] == b"Q" else -6]


@contextmanager
def a_proxy(url: str) -> Iterator[Proxy]:
    proxy = Proxy(url)
    try:
        yield proxy
    finally:
        proxy.close()
