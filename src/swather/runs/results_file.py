"""A results file that is written during its run, and how much of it is durable.

`books.jsonl.position` next to `books.jsonl` says up to which item and which byte the file is on the
disk. After a crash, the rest is cut off and written again.
"""

import os
from pathlib import Path

import msgspec

from swather import posix
from swather.errors import InputError
from swather.model.run import Run
from swather.permissions import file_mode
from swather.runs.items import Piece
from swather.runs.replacing import replacing


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """How far the items of a run are in its file. A run is identified by its name and start."""

    run: str
    created_at: str
    position: str = ""
    size_bytes: int = 0
    lines: int = 0


class ResultsFile:
    """One run's file, locked by this process until it is closed."""

    def __init__(self, path: Path, descriptor: int, durable: Position) -> None:
        self.path = path
        self.written = durable
        self._durable = durable
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: Path, run: Run) -> "ResultsFile | None":
        """The file, truncated to what is durable; None while another process has it locked."""
        descriptor = _opened(path)
        try:
            if not posix.lock(descriptor):
                os.close(descriptor)
                return None
            size = os.fstat(descriptor).st_size
            file = cls(path, descriptor, _durable(path, run, size))
            file.go_back()
            # First the position, then any byte: a file with bytes and no position is not ours.
            file._record()
        except BaseException:
            os.close(descriptor)
            raise
        return file

    def append(self, piece: Piece) -> None:
        data = memoryview(b"".join(piece.lines))
        size = len(data)
        while data:
            data = data[os.write(self._descriptor, data) :]
        self.written = msgspec.structs.replace(
            self.written,
            position=piece.position,
            size_bytes=self.written.size_bytes + size,
            lines=self.written.lines + len(piece.lines),
        )

    def commit(self) -> None:
        """Make what was appended durable, then the position."""
        if self.written == self._durable:
            return
        os.fsync(self._descriptor)
        self._durable = self.written
        self._record()

    def go_back(self) -> None:
        """Drop what was appended since the last commit."""
        self.written = self._durable
        os.ftruncate(self._descriptor, self._durable.size_bytes)
        os.lseek(self._descriptor, self._durable.size_bytes, os.SEEK_SET)

    def start_over(self) -> None:
        """Drop all lines; after a crash while they are rewritten, it starts over."""
        self._durable = Position(run=self.written.run, created_at=self.written.created_at)
        self._record()
        self.go_back()

    def is_in_place(self) -> bool:
        """False when another program removed, replaced, truncated or extended the file."""
        own = os.fstat(self._descriptor)
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(own, found) and own.st_size == self.written.size_bytes

    def close(self) -> None:
        os.close(self._descriptor)

    def _record(self) -> None:
        with replacing(position_path(self.path)) as stream:
            stream.write(msgspec.json.encode(self._durable))


def position_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.position")


def holds(path: Path, run: Run) -> bool:
    """Whether the file's position says that it holds results of this run."""
    found = _recorded(path)
    return found is not None and _is_of(found, run)


def set_aside(path: Path, run: Run) -> Path | None:
    """Rename a file that holds another run's results; returns its new name."""
    aside = aside_for(path, run)
    if aside is not None:
        path.rename(aside)
        position_path(path).rename(position_path(aside))
    return aside


def aside_for(path: Path, run: Run) -> Path | None:
    """`books.OTHER_RUN.jsonl`, which a file with another run's results has to be renamed to; None
    when there is nothing in the way.
    """
    found = _recorded(path)
    if found is None or _is_of(found, run) or not path.exists():
        return None
    if _is_locked(path):
        raise InputError(f"{path} is being written by run {found.run}; name another file")
    aside = _aside(path, found.run)
    known = _recorded(aside)
    if aside.exists() and (known is None or known.created_at != found.created_at):
        raise _no_room(path, found.run, aside)
    return aside


def table_aside_for(path: Path, owner: Run) -> Path:
    """The same for a table of `owner`, which has no position beside it."""
    aside = _aside(path, owner.name)
    if aside.exists():
        raise _no_room(path, owner.name, aside)
    return aside


def _aside(path: Path, run: str) -> Path:
    return path.with_name(f"{path.stem}.{run}{path.suffix}")


def _no_room(path: Path, run: str, aside: Path) -> InputError:
    return InputError(
        f"{path} holds the results of run {run}, and {aside} already exists; name another file"
    )


def _is_locked(path: Path) -> bool:
    """Whether another process writes to the file now."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return not posix.lock(descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, file_mode())
        posix.sync_folder(path.parent)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write results to {path}: {error}") from error
    return descriptor


def _durable(path: Path, run: Run, size_bytes: int) -> Position:
    nothing = Position(run=run.name, created_at=run.created_at.isoformat())
    found = _recorded(path)
    if found is None:
        if size_bytes:
            raise InputError(
                f"{path} exists and is not a results file of this run; name another file"
            )
        return nothing
    if not _is_of(found, run):
        if not size_bytes:
            return nothing
        raise InputError(f"{path} holds the results of run {found.run}; name another file")
    return found if found.size_bytes <= size_bytes else nothing


def _recorded(path: Path) -> Position | None:
    try:
        return msgspec.json.decode(position_path(path).read_bytes(), type=Position)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise InputError(
            f"{position_path(path)} is damaged ({error}); remove it and {path.name} "
            "to write the results again"
        ) from error


def _is_of(found: Position, run: Run) -> bool:
    return (found.run, found.created_at) == (run.name, run.created_at.isoformat())
