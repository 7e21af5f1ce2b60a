"""One connection to a SQLite file: pragmas, transactions, translated errors."""

import logging
import os
import threading
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

from swather import permissions, posix
from swather.errors import (
    Closed,
    DatabaseReadOnly,
    DatabaseReplaced,
    DatabaseUnreachable,
    NetworkFileSystem,
    StoreError,
)
from swather.store.clock import Clock
from swather.store.sqlite.failures import BUSY_TIMEOUT_SECONDS, translated

BUSY_RETRY_SECONDS: Final = 0.01
CACHE_BYTES: Final = 64 << 20
CHECKPOINT_EVERY_SECONDS: Final = 1.0
CHECKPOINT_PAGES: Final = 4_000
TRUNCATE_PAGES: Final = 100_000

_log = logging.getLogger(__name__)

Bindings = dict[str, Any] | tuple[Any, ...]


def ids(numbers: Iterable[int]) -> Any:
    """Many ids as one binding, for `IN carray(?)`."""
    return apsw.carray(array("q", numbers))


class Connection:
    """Writes happen inside `transaction()`, begun IMMEDIATE so that no read is upgraded late.

    Automatic checkpoints are off: they run on whichever commit passes the mark, even while readers
    make them useless. We checkpoint on a timer instead, after a commit, outside the transaction.
    Caches of ids are dropped when `rollbacks` grows: the ids may be given to other rows.
    """

    def __init__(self, path: Path, clock: Clock, *, file: Path | None = None) -> None:
        """`path` is its name in messages; `file` is its absolute path, so that the current folder
        may change.
        """
        self.path = path
        self.file = file or path.absolute()
        self.clock = clock
        self._lock = threading.RLock()
        self._depth = 0
        self.rollbacks = 0
        self._wal_pages = 0
        self._checkpointed_at = time.monotonic()
        self._db: apsw.Connection | None = _connect(self.path, self.file)
        self._identity = _identity_of(self.file)
        self._wal = Path(self._db.filename_wal)
        # Known from the first transaction on: no one else removes the file after it.
        self._wal_identity: tuple[int, int] | None = None
        self._db.set_wal_hook(self._on_commit)

    @property
    def db(self) -> apsw.Connection:
        if self._db is None:
            raise Closed(f"the store on {self.path} was closed")
        return self._db

    def execute(self, sql: str, bindings: Bindings = ()) -> None:
        self.db.execute(sql, bindings)

    def executemany(self, sql: str, rows: Sequence[Bindings]) -> None:
        if rows:
            self.db.executemany(sql, rows)

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        return self.db.execute(sql, bindings).fetchall()

    def many_rows(self, sql: str, many: Iterable[Bindings]) -> list[tuple[Any, ...]]:
        """The rows for each set of bindings, concatenated."""
        return self.db.executemany(sql, many).fetchall()

    def row(self, sql: str, bindings: Bindings = ()) -> tuple[Any, ...] | None:
        return self.db.execute(sql, bindings).fetchone()

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        return self.db.execute(sql, bindings).get

    def execute_counting(self, sql: str, bindings: Bindings = ()) -> int:
        self.db.execute(sql, bindings)
        return self.db.changes()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; threads take turns; a transaction inside another joins it."""
        with self._lock, errors_of(self.path):
            if self._depth:
                yield
                return
            with self._begun("BEGIN IMMEDIATE"):
                self._wal_identity = self._wal_identity or _identity_of(self._wal)
                yield
            self._checkpoint_if_due()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One snapshot for several reads, kept short so that checkpoints are not held up."""
        with self._lock, errors_of(self.path):
            if self._depth:
                yield
                return
            with self._begun("BEGIN"):
                yield

    @contextmanager
    def _begun(self, begin: str) -> Iterator[None]:
        self.check_file()
        try:
            # In here: a Ctrl-C right after it has begun would leave it open.
            self.execute(begin)
            self._depth = 1
            yield
            self.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._depth = 0

    @contextmanager
    def outside_transaction(self) -> Iterator[None]:
        """For statements that refuse to run inside a transaction."""
        with self._lock, errors_of(self.path):
            yield

    def checkpoint(self, mode: int = apsw.SQLITE_CHECKPOINT_PASSIVE) -> tuple[int, int]:
        """(pages in the WAL, pages moved into the database)."""
        self._checkpointed_at = time.monotonic()
        return self.db.wal_checkpoint(None, mode)

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None
                self._wal_identity = None

    def _roll_back(self) -> None:
        """After some errors SQLite has rolled back by itself."""
        self.rollbacks += 1
        if not self.db.get_autocommit():
            self.execute("ROLLBACK")

    def check_file(self) -> None:
        """Refuse to write to a file that was removed or replaced."""
        if _identity_of(self.file) != self._identity:
            raise DatabaseReplaced(
                f"{self.path} was deleted, moved or replaced while it was in use; what was "
                "committed is in the old file. Put it back, or start over"
            )
        if self._wal_identity not in (None, _identity_of(self._wal)):
            raise DatabaseReplaced(
                f"{self._wal.name} was deleted, moved or replaced while {self.path} was in use; it "
                "is part of the database, and processes may now overwrite each other's changes"
            )

    def _on_commit(self, _db: apsw.Connection, _name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint_if_due(self) -> None:
        if self._wal_pages < CHECKPOINT_PAGES:
            return
        if time.monotonic() - self._checkpointed_at < CHECKPOINT_EVERY_SECONDS:
            return
        self.db.set_busy_timeout(0)
        try:
            self.checkpoint()
            if self._wal_pages >= TRUNCATE_PAGES:
                self.checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            pass  # another process checkpoints, or a reader blocks it
        except apsw.Error as error:
            # What follows a commit must not fail it.
            _log.warning("%s: the write-ahead log could not be checkpointed: %s", self.path, error)
        finally:
            self.db.set_busy_timeout(int(BUSY_TIMEOUT_SECONDS * 1000))


def _identity_of(file: Path) -> tuple[int, int] | None:
    """The identity of the file at a path; None when there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect(path: Path, file: Path) -> apsw.Connection:
    kind = posix.network_file_system(file)
    if kind is not None:
        raise NetworkFileSystem(
            f"{path} is on a network file system ({kind}), where SQLite loses data; "
            "put the file on a local disk, or use PostgreSQL"
        )
    if file.is_dir():
        raise DatabaseUnreachable(
            f"{path} is a folder; name a file in it, such as {path}/swather.db"
        )
    if not file.exists() and not file.parent.is_dir():
        raise DatabaseUnreachable(
            f"the folder {file.parent} does not exist; create it, or choose another path"
        )
    permissions.create(file)
    with errors_of(path):
        db = apsw.Connection(str(file), statementcachesize=400)
        try:
            _configure(db, path, file)
        except BaseException:
            db.close()
            raise
        return db


def _configure(db: apsw.Connection, path: Path, file: Path) -> None:
    db.set_busy_timeout(int(BUSY_TIMEOUT_SECONDS * 1000))
    if db.readonly("main") or not os.access(file, os.W_OK):
        raise DatabaseReadOnly(f"{path} cannot be written to; check its owner and permissions")
    # Without it, every statement with a bound range is replanned each time it runs.
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # auto_vacuum takes effect only before the first table, WAL only outside a transaction. On any
    # other file it would wait for whoever writes.
    if not db.pragma("page_count"):
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    mode = _write_ahead(db)
    if mode != "wal":
        raise StoreError(f"{path} cannot use write-ahead logging (journal_mode is {mode})")
    db.execute(f"""
        PRAGMA synchronous = FULL;
        PRAGMA cache_size = -{CACHE_BYTES >> 10};
        PRAGMA temp_store = MEMORY;
        PRAGMA foreign_keys = ON;
        PRAGMA wal_autocheckpoint = 0;
    """)


def _write_ahead(db: apsw.Connection) -> Any:
    """Turn on write-ahead logging, taking turns with others that open the same new file.

    SQLite answers "busy" at once here, whatever the timeout, when two want to change the mode: each
    holds a read lock that the other would have to wait for.
    """
    until = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            return db.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(BUSY_RETRY_SECONDS)


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """SQLite's errors become ours."""
    try:
        yield
    except apsw.Error as error:
        raise translated(error, path) from error
