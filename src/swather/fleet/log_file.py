"""A log file that its only writer rotates: the supervisor's own, and that of the proxies."""

import logging
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from swather import permissions


class LogFile(RotatingFileHandler):
    """With the permissions of all that Swather writes; with `delay`, made by the first record."""

    def __init__(self, path: Path, *, max_bytes: int, keep: int, delay: bool = False) -> None:
        permissions.make_folder(path.parent)
        super().__init__(
            path,
            maxBytes=max_bytes,
            backupCount=keep,
            encoding="utf-8",
            errors="backslashreplace",
            delay=delay,
        )
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))

    def _open(self) -> TextIOWrapper:
        permissions.create(Path(self.baseFilename))
        return super()._open()
