"""The logs of worker processes: files whose new lines are passed on."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from swather.worker.watchdog import STACK_MARK

_MOST_AT_ONCE: Final = 1 << 16
_STACK_MARK: Final = STACK_MARK.encode()


class WorkerLogs:
    """The log files in a folder, read from their current end."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self._say = say
        self._read_to = {path: path.stat().st_size for path in self._files()}
        self._unended: dict[Path, bytes] = {}

    def pass_on(self) -> None:
        """Pass on the lines since the last call, except stack dumps."""
        for path in self._files():
            with path.open("rb") as file:
                file.seek(self._read_to.get(path, 0))
                data = file.read(_MOST_AT_ONCE)
                self._read_to[path] = file.tell()
            *lines, rest = (self._unended.pop(path, b"") + data).split(b"\n")
            self._unended[path] = rest
            for line in lines:
                if not line.startswith(_STACK_MARK):
                    self._say(line.decode(errors="replace"))

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("worker-*.log"))
