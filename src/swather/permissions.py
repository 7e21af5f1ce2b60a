"""Who may read what Swather writes: databases, backups, results, logs and saved files.

Only their owner, unless SWATHER_FILE_MODE says otherwise: scraped pages and targets may hold what
is not for everyone on a machine. The process's umask narrows either.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from swather.errors import BadSetting

VARIABLE: Final = "SWATHER_FILE_MODE"
_OWNER_ONLY: Final = "600"
_MODE: Final = re.compile(r"0?6[0246][0246]")


def file_mode() -> int:
    """The permissions of new files."""
    text = os.environ.get(VARIABLE) or _OWNER_ONLY
    if _MODE.fullmatch(text) is None:
        raise BadSetting(
            f"environment: {VARIABLE} must be file permissions that let the owner read and write, "
            f"such as 600, 640 or 660, got {text!r}"
        )
    return int(text, 8)


def opener(path: str, flags: int) -> int:
    """For `open(…, opener=opener)`."""
    return os.open(path, flags, file_mode())


def create(path: Path) -> None:
    """Make an empty file for a program that would give it other permissions; one that is there
    stays as it is. Whoever opens it says what is wrong if it cannot be made.

    The file is never open under its own name: to close it would end the locks that another thread
    may have on it by then.
    """
    mode = file_mode()
    path = path.resolve()
    if path.exists():
        return
    aside = path.with_name(f".{path.name}.{token_hex(8)}")
    with suppress(OSError):
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
        try:
            path.hardlink_to(aside)
        finally:
            aside.unlink()


def folder_mode() -> int:
    """The permissions of new folders: they also let those in who may read."""
    mode = file_mode()
    return mode | (mode & 0o444) >> 2


def make_folder(path: Path) -> None:
    """Make a folder and those above it, as far as they are missing."""
    mode = folder_mode()
    for folder in (*reversed(path.absolute().parents), path):
        if not folder.exists():
            folder.mkdir(mode=mode, exist_ok=True)
