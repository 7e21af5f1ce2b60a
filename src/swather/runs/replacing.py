"""Files that are there whole or not at all, also after a crash."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO

from swather import posix


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write; it takes the place of `path` when the block ends well, else it is gone."""
    # In a folder that others can write to, a name that they know may be a link to anywhere.
    temporary = path.with_name(f".{path.name}.{token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    posix.sync_folder(path.parent)
