"""Upkeep of a SQLite file: statistics, backups, checks, pruning."""

import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import apsw

from swather import permissions
from swather.errors import InputError, StoreError
from swather.model.payload import decode
from swather.model.transaction import OpenTransaction
from swather.model.vacuum import Vacuumed
from swather.store.action_rows import ACTION_DAYS
from swather.store.checks import MAX_DAYS
from swather.store.proxy_sources import wrong_keys
from swather.store.sqlite.connection import Connection, errors_of
from swather.store.sqlite.pages import drop_orphans
from swather.store.sqlite.proxy_reports import forget_all_sites
from swather.store.sqlite.remove import remove_run, remove_some
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries
from swather.store.sqlite.vacuum import vacuum_file

DEFAULT_EVENT_DAYS: Final = 30
DEFAULT_PAGE_AGE_DAYS: Final = 30
ROBOTS_DAYS: Final = 7
SOURCE_DAYS: Final = 365
WORKER_DAYS: Final = 7
PRUNE_BATCH: Final = 10_000
# Small: it is removed while others work.
EXPIRED_BATCH: Final = 1_000
_PRAGMAS: Final = (
    "journal_mode", "synchronous", "busy_timeout", "cache_size", "mmap_size", "page_size",
    "page_count", "freelist_count", "auto_vacuum", "temp_store", "foreign_keys",
    "wal_autocheckpoint", "user_version",
)  # fmt: skip
_WORDS: Final = {
    "synchronous": {0: "off", 1: "normal", 2: "full", 3: "extra"},
    "auto_vacuum": {0: "none", 1: "full", 2: "incremental"},
    "temp_store": {0: "default", 1: "file", 2: "memory"},
    "foreign_keys": {0: "off", 1: "on"},
}


class SQLiteUpkeep:
    """See swather.store.ports.Upkeep."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings

    def schema_version(self) -> int:
        with self._connection.reading():
            version: int = self._connection.value("PRAGMA user_version")
            return version

    def backup(self, path: Path) -> None:
        if path.exists():
            raise InputError(f"{path} already exists; a backup never overwrites a file")
        with self._connection.outside_transaction():
            permissions.create(path)
            try:
                self._connection.execute("VACUUM INTO ?", (str(path),))
            except apsw.Error:
                path.unlink(missing_ok=True)
                with errors_of(path):
                    raise

    def stats(self) -> dict[str, Any]:
        path = self._connection.path
        wal = Path(f"{path}-wal")
        with self._connection.reading():
            states: dict[str, int] = dict(self._connection.rows(queries.task_counts))
            runs, open_runs, live, memories, proxies = self._connection.rows(queries.queue_stats)[0]
        return {
            "database": str(path),
            "engine": f"SQLite {apsw.sqlite_lib_version()}",
            "schema_version": self.schema_version(),
            "file_bytes": path.stat().st_size,
            "wal_bytes": wal.stat().st_size if wal.exists() else 0,
            "runs": runs,
            "open_runs": open_runs,
            "live_workers": live,
            "memories": memories,
            "proxies": proxies,
            "tasks": states,
        }

    def transactions(self) -> list[OpenTransaction]:
        """SQLite does not know who holds its locks."""
        return []

    def pragmas(self) -> dict[str, Any]:
        with self._connection.reading():
            values = {name: self._connection.value(f"PRAGMA {name}") for name in _PRAGMAS}
        return {name: _WORDS.get(name, {}).get(value, value) for name, value in values.items()}

    def checkpoint_wal(self) -> dict[str, Any]:
        with self._connection.outside_transaction():
            try:
                pages, moved = self._connection.checkpoint(apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError as error:
                raise StoreError(
                    f"{self._connection.path}: a reader is holding the write-ahead log; "
                    "close long-running readers and try again"
                ) from error
        wal = Path(f"{self._connection.path}-wal")
        return {
            "pages": pages,
            "moved": moved,
            "wal_bytes": wal.stat().st_size if wal.exists() else 0,
        }

    def vacuum(self, *, full: bool = False) -> Iterator[Vacuumed]:
        """SQLite rewrites the file in any case."""
        del full
        yield vacuum_file(self._connection)

    def check(self) -> list[str]:
        with self._connection.reading():
            damage = [row[0] for row in self._connection.rows("PRAGMA integrity_check(20)")]
            wrong = [] if damage == ["ok"] else damage
            for row in self._connection.rows(queries.check):
                wrong.append(f"{row[0]}: {row[1]}")
            wrong += wrong_keys(self._connection.rows(queries.proxy_urls))
        return wrong

    def prune(self, *, runs_ended_before: datetime | None = None) -> dict[str, int]:
        removed = {"runs": 0}
        if runs_ended_before is not None:
            with self._connection.reading():
                old = self._connection.rows(queries.old_runs, (runs_ended_before.timestamp(),))
            for (number,) in old:
                removed["runs"] += remove_run(self._connection, number) is not None
        now = self._connection.clock.wall()
        events = self._days("event_days", DEFAULT_EVENT_DAYS)
        removed["events"] = self._delete("events", "at < ?", now - events * 86_400)
        pages = self._days("page_age_days", DEFAULT_PAGE_AGE_DAYS)
        removed["pages"] = self._delete("pages", "fetched_at < ?", now - pages * 86_400)
        removed["bodies"] = drop_orphans(self._connection)
        removed["robots"] = self._delete("robots", "expires_at < ?", now - ROBOTS_DAYS * 86_400)
        memories = self._days("memory_days", MAX_DAYS)
        removed["memories"] = self._delete("memories", "at < ?", now - memories * 86_400)
        removed["source counts"] = self._delete(
            "source_counts", "hour < ?", now - SOURCE_DAYS * 86_400
        )
        removed["firings"] = self._delete(
            "firings",
            "state IN ('ended', 'skipped', 'failed') AND fired_at < ?",
            now - events * 86_400,
        )
        removed["notices"] = self._delete("notices", "at < ?", now - events * 86_400)
        removed["actions"] = self._delete("actions", "at < ?", now - ACTION_DAYS * 86_400)
        removed["proxy sites"] = forget_all_sites(self._connection)
        removed["workers"] = self._delete(
            "workers", "state <> 'live' AND beat_at < ?", now - WORKER_DAYS * 86_400
        )
        # One that lives has beaten.
        removed["supervisors"] = self._delete(
            "supervisors", "beat_at < ?", now - WORKER_DAYS * 86_400
        )
        return removed

    def drop_expired(self) -> str | None:
        days = self._days("keep_runs_days", math.inf)
        if days == math.inf:
            return None
        before = self._connection.clock.wall() - days * 86_400
        with self._connection.reading():
            row = self._connection.row(queries.expired_run, (before,))
        if row is None:
            return None
        remove_some(self._connection, row[0], EXPIRED_BATCH)
        name: str = row[1]
        return name

    def _days(self, name: str, default: float) -> float:
        with self._connection.reading():
            value = self._connection.value(queries.get_setting, (name,))
        return default if value is None else float(decode(value))

    def _delete(self, table: str, condition: str, before: float) -> int:
        total = 0
        while True:
            with self._connection.transaction():
                count = self._connection.execute_counting(
                    f"DELETE FROM {table} WHERE rowid IN "
                    f"(SELECT rowid FROM {table} WHERE {condition} LIMIT ?)",
                    (before, PRUNE_BATCH),
                )
            total += count
            if count < PRUNE_BATCH:
                return total
