"""Wake-ups between the processes on one SQLite file: a datagram to each that waits.

Every waiting store has a socket in a folder next to the database. A datagram to a socket whose
process is gone fails, and the socket's file is removed.
"""

import os
import select
import socket
import time
from hashlib import sha256
from pathlib import Path

from swather.posix import user_folder


class SQLiteHints:
    """See swather.store.ports.Hints."""

    def __init__(self, path: Path) -> None:
        name = sha256(str(path.resolve()).encode()).hexdigest()[:16]
        self._folder = user_folder() / name
        self._own: Path | None = None
        self._socket: socket.socket | None = None

    def send(self) -> None:
        try:
            others = list(self._folder.iterdir())
        except OSError:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            for other in others:
                try:
                    sender.sendto(b"!", str(other))
                except BlockingIOError:
                    continue
                except OSError:
                    other.unlink(missing_ok=True)

    def wait(self, timeout_seconds: float) -> bool:
        try:
            listener = self._socket or self._listen()
        except OSError:
            # No socket can be had (a long TMPDIR, a full disk): hints are lost, work is not.
            time.sleep(max(timeout_seconds, 0))
            return False
        readable, _, _ = select.select([listener], [], [], max(timeout_seconds, 0))
        if not readable:
            return False
        try:
            while listener.recv(64):
                pass
        except BlockingIOError:
            pass
        return True

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._own is not None:
            self._own.unlink(missing_ok=True)
            self._own = None

    def _listen(self) -> socket.socket:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._own = self._folder / f"{os.getpid()}-{id(self):x}"
        self._own.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            listener.setblocking(False)
            listener.bind(str(self._own))
        except OSError:
            listener.close()
            raise
        self._socket = listener
        return listener
