"""Friendly names of stored content: links below a folder, and never outside of it."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from swather import permissions
from swather.scraping.filenames import numbered, numbered_folders

_CANNOT_LINK: Final = frozenset({errno.EMLINK, errno.EPERM, errno.EOPNOTSUPP, errno.EXDEV})
# How a folder is opened that nobody may have replaced by a link to another place.
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def link(folder: Path, folders: Iterable[str], name: str, source: Path) -> Path:
    """Give the content at `source` a name in `folders` below `folder`, which is durable once its
    folder is synced.

    All names are safe ones. A name that is taken by other content gets a number ('a-1.pdf'), as
    does a folder's that is taken by a file or by a link, which might lead elsewhere.
    """
    with _opened(folder, folders) as (descriptor, parts):
        for candidate in numbered(name, source.name):
            path = folder.joinpath(*parts, candidate)
            if _link(source, path, descriptor) or _is_content(path, descriptor, source):
                return path
    raise FileExistsError(errno.EEXIST, "all names for it are taken by other files", name)


@contextmanager
def _opened(folder: Path, folders: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The innermost folder, opened step by step, and the names on the way to it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    names = []
    try:
        for wanted in folders:
            name, inner = _entered(descriptor, wanted)
            os.close(descriptor)
            descriptor = inner
            names.append(name)
        yield descriptor, names
    finally:
        os.close(descriptor)


def _entered(descriptor: int, wanted: str) -> tuple[str, int]:
    """A folder in an open one, made if there is none: its name, and its descriptor."""
    for name in numbered_folders(wanted):
        try:
            os.mkdir(name, permissions.folder_mode(), dir_fd=descriptor)
        except FileExistsError:
            pass
        else:
            os.fsync(descriptor)
        try:
            return name, os.open(name, _FOLDER, dir_fd=descriptor)
        except OSError as error:
            if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
                raise
    raise FileExistsError(errno.EEXIST, "all names for a folder are taken by files", wanted)


def _link(source: Path, path: Path, descriptor: int) -> bool:
    """Link without replacing anything; False when the name is taken."""
    try:
        os.link(source, path.name, dst_dir_fd=descriptor, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _CANNOT_LINK:
            raise
        return _link_by_path(source, path, descriptor)
    return True


def _link_by_path(source: Path, path: Path, descriptor: int) -> bool:
    try:
        os.symlink(_relative(source, path), path.name, dir_fd=descriptor)
    except FileExistsError:
        return False
    return True


def _relative(source: Path, path: Path) -> str:
    return os.path.relpath(source, path.parent)


def _is_content(path: Path, descriptor: int, source: Path) -> bool:
    """Whether an existing name has this content: as a link to it, or as a copy of it."""
    try:
        opened = os.open(path.name, _FILE, dir_fd=descriptor)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return os.readlink(path.name, dir_fd=descriptor) == _relative(source, path)
        if error.errno in {errno.EACCES, errno.ENXIO}:
            return False
        raise
    try:
        found, wanted = os.fstat(opened), source.stat()
        if os.path.samestat(found, wanted):
            return True
        if not stat.S_ISREG(found.st_mode) or found.st_size != wanted.st_size:
            return False
        with os.fdopen(opened, "rb", closefd=False) as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == source.name
    finally:
        os.close(opened)
