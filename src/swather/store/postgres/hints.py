"""Wake-ups between processes by LISTEN and NOTIFY."""

import contextlib
import threading
import time
from typing import Final

import psycopg

from swather.errors import Closed, DatabaseUnreachable, StoreError
from swather.store.postgres.connection import Connection
from swather.store.postgres.link import Link, connect
from swather.store.postgres.statements import queries

CHANNEL: Final = "swather"
QUIET_SECONDS: Final = 0.02
RECONNECT_SECONDS: Final = 1.0


class PostgresHints:
    """See swather.store.ports.Hints.

    Commits with a NOTIFY share one lock, so that at most one is sent every QUIET_SECONDS: the first
    at once, the last by a timer. Listening has a connection of its own; behind a pooler there is
    none, and `wait` only sleeps.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._sent_at = -QUIET_SECONDS
        self._timer: threading.Timer | None = None
        self._listening: Link | None = None
        self._closed = threading.Event()

    def send(self) -> None:
        with self._lock:
            if self._timer is not None or self._closed.is_set():
                return
            early = self._sent_at + QUIET_SECONDS - time.monotonic()
            if early > 0:
                self._timer = threading.Timer(early, self._send_late)
                self._timer.daemon = True
                self._timer.start()
                return
        self._notify()

    def wait(self, timeout_seconds: float) -> bool:
        if self._connection.address.pooled:
            self._closed.wait(max(timeout_seconds, 0))
            return False
        ends_at = time.monotonic() + max(timeout_seconds, 0)
        try:
            return self._receive(timeout_seconds)
        except (psycopg.Error, DatabaseUnreachable):
            self._stop_listening()
            self._closed.wait(min(max(ends_at - time.monotonic(), 0), RECONNECT_SECONDS))
            return False

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        self._stop_listening()

    def _send_late(self) -> None:
        with self._lock:
            self._timer = None
        self._notify()

    def _notify(self) -> None:
        self._sent_at = time.monotonic()
        # A hint may be lost; the next verb reports what is wrong with the connection.
        with contextlib.suppress(StoreError, Closed):
            self._connection.execute(queries.send_hint, {"channel": CHANNEL}, hot=True)

    def _receive(self, timeout_seconds: float) -> bool:
        link = self._listening or self._listen()
        came = False
        for _ in link.notifies(timeout=max(timeout_seconds, 0), stop_after=1):
            came = True
        return came

    def _listen(self) -> Link:
        link = connect(self._connection.address)
        with self._lock:
            self._listening = link
            if self._closed.is_set():  # while the connection was being made
                self._stop_listening()
        link.execute(f"LISTEN {CHANNEL}")
        return link

    def _stop_listening(self) -> None:
        if self._listening is not None:
            with contextlib.suppress(psycopg.Error):
                self._listening.close()
            self._listening = None
