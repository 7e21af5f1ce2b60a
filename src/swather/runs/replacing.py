"""Replaces files atomically, even across a crash."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex
from typing import IO

from swather import permissions, posix


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write; it replaces `path` when the block succeeds, and is removed otherwise."""
    _remove_leftovers(path)
    # In a folder that others can write to, a predictable name may be a link to anywhere.
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{token_hex(8)}.tmp")
    try:
        with open(temporary, "xb", opener=permissions.opener) as stream:
            _keep_mode(path, stream)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    posix.sync_folder(path.parent)


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes left behind."""
    for leftover in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        pid = leftover.name.removesuffix(".tmp").rpartition(".")[2].partition("-")[0]
        if pid.isdecimal() and posix.start_time(int(pid)) is None:
            leftover.unlink(missing_ok=True)


def _keep_mode(path: Path, stream: IO[bytes]) -> None:
    """Keep the mode of the old file, which a person may have changed."""
    with suppress(FileNotFoundError):
        os.fchmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
