"""Files that are there whole or not at all, also after a crash."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from swather import permissions, posix


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write; it takes the place of `path` when the block ends well, else it is gone."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb", opener=permissions.opener) as stream:
            _keep_mode(path, stream)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    posix.sync_folder(path.parent)


def _keep_mode(path: Path, stream: IO[bytes]) -> None:
    """Somebody may have opened the file to others, or closed it."""
    with suppress(FileNotFoundError):
        os.fchmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
