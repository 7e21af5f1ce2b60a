"""The log of downloads: logs/download_errors.log, and the same as JSON lines beside it.

    2025-10-02 14:30:00,123 | INFO | === JOB START === | Job ID: 7 | Query: nature | Sources: […]
    2025-10-02 14:30:01,445 | INFO | SUCCESS: openverse | File: a.jpg | Size: 9 bytes | Time: 1.23s
    2025-10-02 14:30:30,567 | ERROR | TIMEOUT | bing_images | Timeout after 30s

Each text is one line, whatever a query or a site puts into it. Several processes may append.
"""

import logging
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from swather import permissions
from swather.masking import masked, masked_data
from swather.visible import visible_json, visible_line

FOLDER: Final = Path("logs")
TEXT: Final = "download_errors.log"
JSON: Final = "download_errors.jsonl"
_MAX_CHARACTERS: Final = 500
_encode = msgspec.json.Encoder().encode
_log = logging.getLogger(__name__)


class Line:
    """What happened, and when, as text and as data. It is written out in the thread that writes."""

    __slots__ = ("_at", "_data", "_level", "_message")

    def __init__(self, level: str, event: str, message: Sequence[str], **data: Any) -> None:
        self._at = datetime.now(UTC)
        self._level = level
        self._message = message
        self._data = {"level": level, "event": event, **data}

    @property
    def text(self) -> bytes:
        local = self._at.astimezone()
        stamp = f"{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03}"
        message = " | ".join(map(_one_line, self._message))
        return f"{stamp} | {self._level} | {message}\n".encode(errors="replace")

    @property
    def json(self) -> bytes:
        data = {"at": self._at.isoformat(timespec="milliseconds"), **masked_data(self._data)}
        return visible_json(_encode(data).decode()).encode() + b"\n"


class DownloadLog:
    """Appends to both files. A log that cannot be written stops no download: it is said once."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._is_broken = False

    def write(self, lines: Sequence[Line]) -> None:
        """Append these lines together; it blocks."""
        try:
            permissions.make_folder(self._folder)
            _append(self._folder / TEXT, b"".join(line.text for line in lines))
            _append(self._folder / JSON, b"".join(line.json for line in lines))
        except OSError as error:
            if not self._is_broken:
                _log.warning("cannot write %s: %s", self._folder / TEXT, error)
            self._is_broken = True


def _append(path: Path, data: bytes) -> None:
    """In one write, at the end wherever that is by then: lines of others stay whole."""
    opened = permissions.opener(str(path), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)
    try:
        os.write(opened, data)
    finally:
        os.close(opened)


def _one_line(text: str) -> str:
    """Nothing in it ends the line, or looks like another field of it."""
    shown = visible_line(masked(text)).replace("|", "¦")
    return shown if len(shown) <= _MAX_CHARACTERS else shown[: _MAX_CHARACTERS - 1] + "…"
