"""What a browser showed when an attempt failed: a picture and the HTML, beside the run's files.

A database may hold anything, so nothing in it becomes a path: these are found by the numbers of
task and attempt, and a link in their place is not followed.
"""

import os
import stat
from pathlib import Path
from typing import IO, Final

from swather.file_location import BucketFolder, Location
from swather.net.bucket import Bucket, BucketAccess

_MAX_BYTES: Final = 32 << 20
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class FailedPages:
    """Those in one place: the folder or bucket for the files of a run."""

    def __init__(self, location: Location, access: BucketAccess) -> None:
        self._location = location
        self._access = access

    def read(self, task_id: int, attempt: int, extension: str) -> bytes | None:
        """The picture (png) or the page (html); None if none was kept."""
        name = _name(task_id, attempt, extension)
        if isinstance(self._location, BucketFolder):
            return Bucket(self._location, self._access).read(f"failures/{name}")
        file = _opened(self._location, name)
        if file is None:
            return None
        with file:
            return file.read(_MAX_BYTES)

    def attempts(self, task_id: int, up_to: int) -> list[int]:
        """Those with a picture. A bucket is only asked for the last one."""
        if isinstance(self._location, BucketFolder):
            key = f"failures/{_name(task_id, up_to, 'png')}"
            return [up_to] if Bucket(self._location, self._access).find(key) else []
        found = []
        for attempt in range(1, up_to + 1):
            file = _opened(self._location, _name(task_id, attempt, "png"))
            if file is not None:
                file.close()
                found.append(attempt)
        return found


def _name(task_id: int, attempt: int, extension: str) -> str:
    return f"{int(task_id)}-{int(attempt)}.{extension}"


def _opened(folder: Path, name: str) -> IO[bytes] | None:
    """A plain file; None for what is missing, a link, or anything else."""
    try:
        descriptor = os.open(folder / "failures", _FOLDER)
    except OSError:
        return None
    try:
        file = os.fdopen(os.open(name, _FILE, dir_fd=descriptor), "rb")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    return None
