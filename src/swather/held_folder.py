"""Temporary folders that do not outlive the process that works in them."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from swather import posix


class HeldFolder:
    """A temporary folder of one kind ('children', 'tor'), held by this process. That of a process
    which was killed is removed by the next of this user that makes one of its kind. If its path
    would have more than `longest` bytes, it is not in the usual place but in /tmp.
    """

    def __init__(self, kind: str, *, longest: int = 4096) -> None:
        temporary = Path(tempfile.gettempdir())
        name = f"swather-{os.geteuid()}-{kind}/swather-12345678"
        if len(os.fsencode(temporary / name)) > longest:
            temporary = Path("/tmp")  # noqa: S108 - the folder itself is private
        shelf = temporary / f"swather-{os.geteuid()}-{kind}"
        if _is_private(shelf):
            _remove_abandoned(shelf)
        else:
            shelf = temporary
        self.path, self._held = _new_in(shelf)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._held)


def _is_private(shelf: Path) -> bool:
    """Whether the folder is this user's alone; others may have put something in its place."""
    try:
        shelf.mkdir(mode=0o700, exist_ok=True)
        with posix.private_folder(shelf):
            return True
    except OSError:
        return False


def _new_in(shelf: Path) -> tuple[Path, int]:
    """A new folder, and the descriptor that holds it."""
    while True:
        path = Path(tempfile.mkdtemp(prefix="swather-", dir=shelf))
        with suppress(FileNotFoundError):
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            # Another process may have taken it for an abandoned one before it was held.
            if posix.lock(held) and path.exists():
                return path, held
            os.close(held)


def _remove_abandoned(shelf: Path) -> None:
    for path in _folders_in(shelf):
        with suppress(OSError):
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            if posix.lock(held):
                shutil.rmtree(path, ignore_errors=True)
            os.close(held)


def _folders_in(shelf: Path) -> Iterator[Path]:
    with os.scandir(shelf) as found:
        yield from (Path(entry) for entry in found if entry.is_dir(follow_symlinks=False))
