"""The log files of a fleet: of each worker, of its supervisor, of the proxies."""

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from swather.fleet.log_file import LogFile
from swather.fleet.proxy_log import ProxyLog
from swather.settings import Settings

SUPERVISOR: Final = "supervisor.log"
PROXIES: Final = "proxies.log"
# The supervisor's own log: what happens to its workers.
supervisor_log: Final = logging.getLogger("swather.fleet")


class FleetLogs:
    """What a supervisor writes into the folder; its workers write their own files there."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        max_bytes, keep = int(settings.log_file_mb * 1e6), settings.log_files
        self._own = LogFile(folder / SUPERVISOR, max_bytes=max_bytes, keep=keep)
        # Opened when there is something to write: most fleets have no proxies.
        self._of_proxies = LogFile(folder / PROXIES, max_bytes=max_bytes, keep=keep, delay=True)
        self.proxies = ProxyLog(self._of_proxies)
        self._root = logging.getLogger()
        self._level_before = self._root.level

    def __enter__(self) -> Self:
        """What this process logs goes to its file, and to no terminal."""
        self._root.addHandler(self._own)
        self._root.setLevel(logging.INFO)
        return self

    def __exit__(self, *_: object) -> None:
        self._root.removeHandler(self._own)
        self._root.setLevel(self._level_before)
        self._own.close()
        self._of_proxies.close()

    def note(self, lines: Iterable[str]) -> None:
        """Into the supervisor's own log."""
        for line in lines:
            supervisor_log.info("%s", line)
