"""A worker in a Ray cluster, as seen from its node: an actor that has the worker's process."""

import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from swather.fleet.placement import WorkerEnded
from swather.fleet.worker_process import WorkerProcess

# What nobody has asked for yet is kept so far.
MAX_LOG_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 16


class Look(NamedTuple):
    """`life` differs each time that Ray has started the actor. `log` is what the worker has logged
    since the last look.
    """

    life: str
    node: str
    pid: int
    log: bytes
    ended: WorkerEnded | None


class RayWorker:
    """The process is a child rather than the actor itself, because a worker owns its process: its
    signals, its watchdog, its exit code. It ends with the actor, however that dies: the actor has
    the other end of a pipe that the worker reads. Ray runs the constructor again on another node
    when this one is lost.
    """

    def __init__(
        self, number: int, arguments: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        self._life = secrets.token_hex(8)
        self._parent, self._alive = os.pipe()
        reading, writing = os.pipe()
        self._process = WorkerProcess(
            number,
            [sys.executable, *arguments],
            environment,
            parent=self._parent,
            # The pipe itself: a file on the node would grow for as long as the worker runs.
            log=Path(f"/dev/fd/{writing}"),
        )
        os.close(writing)
        self._log = bytearray()
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, args=[reading], daemon=True)
        self._reader.start()
        self._ended: WorkerEnded | None = None

    def look(self) -> Look:
        if self._ended is None and (gone := self._process.reap()) is not None:
            # What it has started may have the pipe open for longer.
            self._reader.join(1.0)
            self._ended = WorkerEnded(gone.number, gone.end, str(gone), gone.exit_code)
        with self._lock:
            log, self._log = bytes(self._log), bytearray()
        return Look(self._life, socket.gethostname(), self._process.pid, log, self._ended)

    def stop(self, *, now: bool) -> None:
        """A worker stops now when it gets a second signal, of another kind: two of the same may
        arrive as one.
        """
        self._process.signal(signal.SIGTERM)
        if now:
            self._process.signal(signal.SIGINT)

    def _read(self, pipe: int) -> None:
        while chunk := os.read(pipe, _CHUNK_BYTES):
            with self._lock:
                self._log += chunk
                del self._log[:-MAX_LOG_BYTES]
        os.close(pipe)
