"""Saved files in a folder on a disk: content under its hash, and names that link to it."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import IO

from swather import permissions, posix
from swather.errors import InputError
from swather.model.outcome import File
from swather.model.results import Part
from swather.posix import sync_folder
from swather.scraping.downloads import Landed
from swather.scraping.filenames import safe_path
from swather.scraping.files import (
    CHUNK_BYTES,
    ORPHAN_SECONDS,
    Pruned,
    check_sha256,
    copy_hashed,
    file_of,
)
from swather.scraping.links import link

_log = logging.getLogger(__name__)


class FolderFiles:
    """See swather.scraping.files.FileStore. Content is under `.content/`."""

    is_shared = False

    def __init__(self, folder: Path) -> None:
        self.folder = self.location = folder
        self._content = folder / ".content"
        self._unfinished = self._content / "unfinished"

    @property
    def is_made(self) -> bool:
        """Whether this is a folder for files already, on this machine."""
        return self._content.is_dir() and not self._content.is_symlink()

    def make(self) -> None:
        """Make the folder; InputError when that cannot be done."""
        try:
            self._make_folders()
        except OSError as error:
            raise InputError(f"no files can be saved in {self.folder}: {error.strerror}") from error

    def save_file(
        self, content: bytes | Path | Landed, name: str | None = None, media_type: str = ""
    ) -> File:
        """Save content and return its File, with the `name` that the user gave. A file that was
        downloaded is moved; if it was changed since, it is saved as it is now.
        """
        if isinstance(content, Landed):
            sha256, size = self._take_in(content)
        else:
            sha256, size = self.save(content)
        return file_of(sha256, size, name, media_type)

    def save(self, content: bytes | Path) -> tuple[str, int]:
        """Store bytes, or a copy of the file at a path, durably; (sha256, size in bytes)."""
        path = self.new_path()
        try:
            with self.open_new(path) as file:
                if isinstance(content, Path):
                    sha256, size = copy_hashed(content, file)
                else:
                    sha256, size = hashlib.sha256(content).hexdigest(), file.write(content)
                file.flush()
                os.fsync(file.fileno())
            self._publish(path, sha256)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return sha256, size

    def new_path(self) -> Path:
        """For a file that is written, and then adopted or removed. If this process dies, a sweep
        removes it.
        """
        return self._unfinished / f"{_mark()}.{token_hex(16)}"

    def open_new(self, path: Path) -> IO[bytes]:
        """Open a `new_path` for writing; the folders are made if they are missing."""
        try:
            return open(path, "xb", opener=permissions.opener)
        except FileNotFoundError:
            self._make_folders()
            return open(path, "xb", opener=permissions.opener)

    def adopt(self, path: Path, sha256: str) -> None:
        """Make a file of ours, at a `new_path`, the content of this hash. Repeating it is
        harmless.
        """
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            if not _touch(self.path_of(sha256)):
                raise
            return
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._publish(path, sha256)

    def sweep(self) -> int:
        """Remove what processes of this machine left unfinished when they died; how many files."""
        known: dict[str, bool] = {}
        removed = 0
        for path in self._unfinished.glob("*.*.*.*"):
            mark = path.name.rpartition(".")[0]
            if mark not in known:
                known[mark] = _is_of_the_dead(mark)
            if known[mark]:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def path_of(self, sha256: str) -> Path:
        """The path of the content, whether it exists or not."""
        check_sha256(sha256)
        return self._content / sha256[:2] / sha256

    def link_name(self, sha256: str, name: str | None, media_type: str = "") -> Path:
        """Give stored content a friendly name in the folder; repeating it is harmless.

        Each part of the name is made safe, 'cats/a.jpg' has a folder of its own. If the name is
        taken by other content, 'a-1.pdf' and so on is used.
        """
        path = self._link(sha256, name, media_type)
        sync_folder(path.parent)
        return path

    def link_parts(self, parts: Mapping[Part, Iterable[File]]) -> list[Part]:
        """Give committed files their names; the parts whose files all have one now. The rows say
        where the others are. Many names in one folder are made durable at once.
        """
        linked: dict[Part, set[Path]] = {}
        for part, files in parts.items():
            try:
                linked[part] = {
                    self._link(file.sha256, file.name, file.media_type).parent for file in files
                }
            except (OSError, InputError):
                _log.exception("files of task %d were stored but could not be named", part[0])
        try:
            for folder in set().union(*linked.values()):
                sync_folder(folder)
        except OSError:
            _log.exception("names of files in %s may not be durable yet", self.folder)
            return []
        return list(linked)

    def chunks_of(self, sha256: str) -> Iterator[bytes]:
        with self.path_of(sha256).open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    def has_all(self, files: Iterable[File]) -> bool:
        """Whether the content of all of them is here."""
        return all(self.path_of(file.sha256).exists() for file in files)

    def files_named(self, names: Iterable[str]) -> set[str]:
        """Those of the names that files have."""
        return {name for name in names if self.folder.joinpath(*_parts_of(name)).exists()}

    def prune_daily(self, is_referenced: Callable[[str], bool]) -> Pruned:
        """Prune, unless it was done within the last day."""
        mark = self._content / "pruned"
        if not self._content.exists() or _is_young(mark, time.time() - ORPHAN_SECONDS):
            return Pruned(0, 0)
        mark.touch()
        return self.prune(is_referenced)

    def prune(
        self, is_referenced: Callable[[str], bool], older_than_seconds: float = ORPHAN_SECONDS
    ) -> Pruned:
        """Remove content that no row refers to and no name links to, and unfinished files, once
        they are old.
        """
        before = time.time() - older_than_seconds
        sizes = [
            size
            for path in self._content.glob("*/*")
            if not _is_young(path, before)
            if path.parent == self._unfinished or not (_is_named(path) or is_referenced(path.name))
            if (size := self._remove_old(path, before)) is not None
        ]
        return Pruned(len(sizes), sum(sizes))

    def _link(self, sha256: str, name: str | None, media_type: str) -> Path:
        folders, last = safe_path(name, sha256, media_type)
        return link(self.folder, folders, last, self.path_of(sha256))

    def _take_in(self, landed: Landed) -> tuple[str, int]:
        if landed.is_changed:
            saved = self.save(landed.path)
            landed.path.unlink()
            return saved
        self.adopt(landed.path, landed.sha256)
        return landed.sha256, landed.size_bytes

    def _make_folders(self) -> None:
        if not self._unfinished.exists():
            permissions.make_folder(self._unfinished)
            for folder in (self._content, self.folder, self.folder.parent):
                sync_folder(folder)

    def _publish(self, temporary: Path, sha256: str) -> None:
        """Move a file that is synced to where its content belongs, unless that is there already."""
        path = self.path_of(sha256)
        if _touch(path):
            temporary.unlink()
        else:
            try:
                temporary.replace(path)
            except FileNotFoundError:
                permissions.make_folder(path.parent)
                sync_folder(self._content)
                temporary.replace(path)
        sync_folder(path.parent)

    def _remove_old(self, path: Path, before: float) -> int | None:
        """Remove a file unless the same content is being saved again right now."""
        aside = self._unfinished / f"{path.name}.removed"
        try:
            if path.lstat().st_mtime >= before:
                return None
            path.rename(aside)
        except FileNotFoundError:
            return None
        found = aside.lstat()
        if found.st_mtime >= before:
            aside.rename(path)
            return None
        aside.unlink()
        return found.st_size


def _parts_of(name: str) -> tuple[str, ...]:
    folders, last = safe_path(name, "")
    return (*folders, last)


@cache
def _machine() -> str:
    """Names the machine since its start, and the container if this is in one."""
    return hashlib.sha256(f"{posix.boot_id()} {posix.pid_namespace()}".encode()).hexdigest()[:16]


def _mark() -> str:
    """Of this process, in the names of what it has not finished."""
    return _mark_of(posix.process_id)


@cache
def _mark_of(pid: int) -> str:
    return f"{_machine()}.{pid}.{posix.start_time(pid)}"


def _is_of_the_dead(mark: str) -> bool:
    """True only if we can know: the process was one of this machine, and is gone."""
    machine, pid, started = mark.split(".", 2)
    if machine != _machine() or not pid.isdecimal():
        return False
    return posix.start_time(int(pid)) != started


def _is_young(path: Path, before: float) -> bool:
    try:
        return path.lstat().st_mtime >= before
    except FileNotFoundError:
        return False


def _is_named(path: Path) -> bool:
    """Whether a friendly name links to this content."""
    try:
        return path.lstat().st_nlink > 1
    except FileNotFoundError:
        return False


def _touch(path: Path) -> bool:
    """Renew the time of content, so that it is not pruned before its new row is committed."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True
