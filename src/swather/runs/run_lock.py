"""The lock of a run that one process of this machine executes: a file, beside a SQLite database or
in the user's own folder for such files.

The system gives it back when the process ends, however it does: there are no stale locks.
"""

import os
import tempfile
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from swather import permissions, posix
from swather.errors import InputError, RunLocked
from swather.model.run import Run
from swather.model.worker import Process
from swather.store import Store, factory

_STATE_VARIABLE: Final = "XDG_STATE_HOME"
_MAX_BYTES: Final = 1_000


class _Holder(msgspec.Struct, frozen=True):
    """What a lock's file says."""

    process: Process
    since: datetime

    def __str__(self) -> str:
        pid, since = self.process.pid, f"{self.since.astimezone():%F %T}"
        if posix.is_dead(self.process):
            return f"a process that process {pid} has left behind, from {since}"
        return f"process {pid} of {self.process.host} since {since}"


class RunLock:
    """Held when its constructor returns, until `release`; RunLocked if another has it."""

    def __init__(self, store: Store, run: Run) -> None:
        self._path = _path_of(store, run)
        try:
            self._file = _locked(self._path, run.name)
        except OSError as error:
            raise InputError(f"the lock {self._path} cannot be made: {error.strerror}") from error
        os.truncate(self._file, 0)
        holder = _Holder(posix.this_process(), datetime.now(UTC))
        os.pwrite(self._file, msgspec.json.encode(holder), 0)

    def release(self) -> None:
        """Removed while it is still held, so that nobody can take a file that is about to go."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def wait_until_free(path: Path) -> None:
    """Return when nobody has the lock at this path."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        posix.wait_for_lock(file)
    finally:
        os.close(file)


def _locked(path: Path, run: str) -> int:
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(path, flags, permissions.file_mode())
        if not posix.lock(file):
            told = os.pread(file, _MAX_BYTES, 0)
            os.close(file)
            raise RunLocked(f"run {run} is executed by {_holder(told)}", path)
        if _is_still(path, file):
            return file
        # Whoever had it has removed it since we opened it.
        os.close(file)


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _holder(told: bytes) -> str:
    try:
        return str(msgspec.json.decode(told, type=_Holder))
    except msgspec.MsgspecError:
        return "another process, which has just begun"


def _path_of(store: Store, run: Run) -> Path:
    """The same however the database is named."""
    identity = f"{run.id} {run.name} {run.created_at.isoformat()}"
    name = f"{sha256(identity.encode()).hexdigest()[:16]}.lock"
    database = factory.sqlite_path(store.url)
    if database is not None:
        return database.resolve().with_name(f"{database.name}-{name}")
    return _state_folder() / name


def _state_folder() -> Path:
    named = os.environ.get(_STATE_VARIABLE)
    try:
        folder = (Path(named) if named else Path.home() / ".local/state") / "swather/locks"
        permissions.make_folder(folder)
    except (OSError, RuntimeError):
        # No home, as in many containers.
        folder = Path(tempfile.gettempdir()) / f"swather-{os.geteuid()}-locks"
        permissions.make_folder(folder)
    return folder
