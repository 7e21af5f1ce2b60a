"""The log file of a process that nobody else rotates: its own stderr, renamed when it is large."""

import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from swather import permissions, posix

_STDOUT, _STDERR = 1, 2
_RETRY_SECONDS: Final = 60.0


class OwnLog(logging.StreamHandler[TextIO]):
    """Makes `path` the stderr of this process, unless it is that already. Whatever the process
    writes there goes to the file: records, tracebacks, what libraries print.

    A file larger than `max_bytes` becomes `path.1`, that one `path.2`, up to `keep` of them. stdout
    moves along if it goes to the same file.
    """

    def __init__(self, path: Path, *, max_bytes: int, keep: int) -> None:
        super().__init__(sys.stderr)
        self._path = path.absolute()
        self._max_bytes = max_bytes
        self._keep = keep
        self._look_at = 0.0
        permissions.make_folder(self._path.parent)
        if not _is_same(_STDERR, self._path):
            self._open()

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        if time.monotonic() < self._look_at or os.fstat(_STDERR).st_size < self._max_bytes:
            return
        try:
            self._rotate()
        except OSError:
            # A full disk, say; the records themselves are more important.
            self._look_at = time.monotonic() + _RETRY_SECONDS

    def _rotate(self) -> None:
        """A process of before may still write to the file: only one renames it, and the other
        follows.
        """
        if not posix.lock(_STDERR):
            return
        try:
            if _is_same(_STDERR, self._path):
                rotate(self._path, self._keep)
            self._open()
        finally:
            posix.unlock(_STDERR)

    def _open(self) -> None:
        both = _is_same_file(_STDOUT, _STDERR)
        opened = os.open(
            self._path,
            os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC,
            permissions.file_mode(),
        )
        self.flush()
        os.dup2(opened, _STDERR)
        if both:
            os.dup2(opened, _STDOUT)
        os.close(opened)


def rotate(path: Path, keep: int) -> None:
    """Rename a log file and those before it; the oldest goes."""
    if not keep:
        path.unlink(missing_ok=True)
        return
    for number in range(keep - 1, -1, -1):
        older = path if not number else numbered(path, number)
        with suppress(FileNotFoundError):
            older.replace(numbered(path, number + 1))


def numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _is_same_file(one: int, other: int) -> bool:
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False
