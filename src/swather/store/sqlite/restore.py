"""Restores a backup into a SQLite file in one transaction: all of it, or nothing, whatever is
killed.
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw

from swather import permissions, posix
from swather.errors import DatabaseDamaged, InputError
from swather.store import migrate
from swather.store.sqlite.connection import errors_of
from swather.store.sqlite.failures import BUSY_TIMEOUT_SECONDS
from swather.store.sqlite.statements import queries
from swather.store.sqlite.store import APPLICATION_ID, PACKAGE

_PAGES_AT_ONCE: Final = 1_000
_PARTS: Final = ("", "-wal", "-shm")


def restore(path: Path, backup: Path) -> Iterator[int]:
    """Replace what is in the file by the backup; yields how many bytes have been copied so far."""
    with closing(_opened_backup(backup)) as source:
        if path.exists():
            token = _last_token(path)
            yield from _copy(source, path)
            _continue_from(path, token)
            return
        # A file of this name is complete.
        unfinished = path.with_name(f".{path.name}.restoring")
        _remove(unfinished)
        permissions.create(unfinished)
        yield from _copy(source, unfinished)
    unfinished.rename(path)
    posix.sync_folder(path.absolute().parent)


def set_damaged_aside(path: Path, backup: Path) -> Path | None:
    """Rename a file that is not a sound database, with its log; returns its new name. Nothing is
    renamed for a backup that cannot be restored.
    """
    _opened_backup(backup).close()
    if not path.exists() or _is_sound(path):
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%d_%H%M%S")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    for part in _PARTS:
        if (found := Path(f"{path}{part}")).exists():
            found.rename(f"{aside}{part}")
    return aside


def _is_sound(path: Path) -> bool:
    try:
        with errors_of(path), closing(apsw.Connection(str(path))) as found:
            return bool(found.pragma("quick_check") == "ok")
    except DatabaseDamaged:
        return False


def _opened_backup(backup: Path) -> apsw.Connection:
    if not backup.is_file():
        raise InputError(f"there is no backup {backup}")
    try:
        with errors_of(backup):
            source = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                _check(source, backup)
            except BaseException:
                source.close()
                raise
            return source
    except DatabaseDamaged as error:
        raise InputError(
            f"{backup} is not a backup of a SQLite database ({error.__cause__})"
        ) from error


def _check(source: apsw.Connection, backup: Path) -> None:
    if source.pragma("application_id") != APPLICATION_ID:
        raise InputError(f"{backup} is a SQLite database, but not one of Swather's")
    version = source.pragma("user_version")
    if version > migrate.latest(PACKAGE):
        migrate.check_version(version, migrate.latest(PACKAGE), str(backup))
    wrong = source.pragma("quick_check")
    if wrong != "ok":
        raise InputError(f"{backup} is damaged ({wrong}); nothing was changed")


def _last_token(path: Path) -> int:
    with errors_of(path), closing(apsw.Connection(str(path))) as found:
        if found.pragma("user_version") == 0:
            return 0
        token: int = found.execute(queries.last_token).get
        return token


def _continue_from(path: Path, token: int) -> None:
    """No token is given twice: a worker of before, if any is left, holds an old one."""
    with errors_of(path), closing(apsw.Connection(str(path))) as found:
        found.set_busy_timeout(int(BUSY_TIMEOUT_SECONDS * 1000))
        found.execute(queries.continue_tokens, (token,))


def _copy(source: apsw.Connection, path: Path) -> Iterator[int]:
    page_bytes = source.pragma("page_size")
    with errors_of(path), closing(apsw.Connection(str(path))) as target:
        target.set_busy_timeout(int(BUSY_TIMEOUT_SECONDS * 1000))
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(_PAGES_AT_ONCE)
                yield (copying.page_count - copying.remaining) * page_bytes


def _remove(path: Path) -> None:
    for part in (*_PARTS, "-journal"):
        Path(f"{path}{part}").unlink(missing_ok=True)
