"""A log file whose lines come from elsewhere; rotated like those that workers write themselves."""

from pathlib import Path

from swather import permissions
from swather.fleet.own_log import rotate


class PulledLog:
    """The file is made by the first `write`. Larger than `max_bytes`, it becomes `path.1`."""

    def __init__(self, path: Path, *, max_bytes: int, keep: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep

    def write(self, text: bytes) -> None:
        if not text:
            return
        permissions.make_folder(self._path.parent)
        with open(self._path, "ab", opener=permissions.opener) as file:
            file.write(text)
            is_large = file.tell() >= self._max_bytes
        if is_large:
            rotate(self._path, self._keep)
