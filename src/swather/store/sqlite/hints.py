"""Wake-ups between the processes on one SQLite file: a datagram to each that waits.

Every waiting store has a socket in a private folder next to the database. A
socket whose process is gone refuses a datagram, and is removed.
"""

import logging
import os
import re
import select
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from swather import posix

_NAME: Final = re.compile("[0-9a-f]{16}")
_NAME_BYTES: Final = 8
# The last one to leave removes the folder, perhaps just now.
_TRIES: Final = 5

_log = logging.getLogger(__name__)


class SQLiteHints:
    """See swather.store.ports.Hints."""

    def __init__(self, path: Path) -> None:
        self.folder = posix.socket_folder(path.resolve())
        self._own = ""
        self._warned = False
        self._socket: socket.socket | None = None

    def send(self) -> None:
        try:
            with (
                posix.private_folder(self.folder) as folder,
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender,
            ):
                sender.setblocking(False)
                for name in filter(_NAME.fullmatch, os.listdir(folder)):  # noqa: PTH208 - open already
                    self._send_to(sender, folder, name)
        except OSError:
            # Nobody waits, or the folder is not ours: hints are lost, work is not.
            return

    def wait(self, timeout_seconds: float) -> bool:
        try:
            listener = self._socket or self._listen()
        except OSError as error:
            self._warn(error)
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
        if self._socket is None:
            return
        self._socket.close()
        self._socket = None
        with suppress(OSError):
            with posix.private_folder(self.folder) as folder:
                os.unlink(self._own, dir_fd=folder)
            self.folder.rmdir()

    def _warn(self, error: OSError) -> None:
        """Warn once: there is no socket (a full disk, another user's folder)."""
        if not self._warned:
            self._warned = True
            _log.warning(
                "this process cannot be woken when there is work and polls instead: %s; "
                "remove %s if it should not be there",
                error,
                self.folder,
            )

    def _send_to(self, sender: socket.socket, folder: int, name: str) -> None:
        try:
            sender.sendto(b"!", posix.socket_address(self.folder, folder, name))
        except ConnectionRefusedError:
            with suppress(OSError):
                if stat.S_ISSOCK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    os.unlink(name, dir_fd=folder)
        except OSError:
            # Its queue is full, or it is just ending.
            return

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            listener.setblocking(False)
            self._own = self._bind(listener)
        except OSError:
            listener.close()
            raise
        self._socket = listener
        return listener

    def _bind(self, listener: socket.socket) -> str:
        """The name under which it is bound in the folder."""
        name = token_hex(_NAME_BYTES)
        for _ in range(_TRIES - 1):
            with suppress(FileNotFoundError):
                return self._bind_to(listener, name)
        return self._bind_to(listener, name)

    def _bind_to(self, listener: socket.socket, name: str) -> str:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with posix.private_folder(self.folder) as folder:
            listener.bind(posix.socket_address(self.folder, folder, name))
        return name
