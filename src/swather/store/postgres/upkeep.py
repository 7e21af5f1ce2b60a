"""Upkeep of the tables: statistics, backups, checks, pruning."""

import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from swather.errors import StoreError
from swather.model.payload import decode
from swather.model.transaction import OpenTransaction
from swather.model.vacuum import Vacuumed
from swather.store.action_rows import ACTION_DAYS
from swather.store.checks import MAX_DAYS
from swather.store.postgres.backup import back_up
from swather.store.postgres.connection import Connection
from swather.store.postgres.failures import LACKS_A_RIGHT
from swather.store.postgres.pages import drop_orphans
from swather.store.postgres.proxy_reports import forget_all_sites
from swather.store.postgres.remove import remove_run, remove_some
from swather.store.postgres.statements import queries
from swather.store.postgres.transactions import open_transaction
from swather.store.postgres.vacuum import vacuum_tables
from swather.store.proxy_sources import wrong_keys

DEFAULT_EVENT_DAYS: Final = 30
DEFAULT_PAGE_AGE_DAYS: Final = 30
ROBOTS_DAYS: Final = 7
SOURCE_DAYS: Final = 365
WORKER_DAYS: Final = 7
PRUNE_BATCH: Final = 10_000
# Small: it is removed while others work.
EXPIRED_BATCH: Final = 1_000
_SERVER_SETTINGS: Final = (
    "server_version", "fsync", "full_page_writes", "synchronous_commit", "wal_level",
    "shared_buffers", "effective_cache_size", "work_mem", "max_connections", "max_wal_size",
    "checkpoint_timeout", "autovacuum", "autovacuum_naptime", "autovacuum_max_workers",
    "default_transaction_isolation", "idle_in_transaction_session_timeout", "statement_timeout",
    "lock_timeout", "transaction_timeout", "client_connection_check_interval",
    "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout",
    "plan_cache_mode", "jit", "timezone",
)  # fmt: skip


class PostgresUpkeep:
    """See swather.store.ports.Upkeep."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def schema_version(self) -> int:
        version: int = self._connection.value(queries.schema_version)
        return version

    def backup(self, path: Path) -> None:
        """A file for pg_restore."""
        back_up(self._connection.address, path)

    def stats(self) -> dict[str, Any]:
        version, size, runs, open_runs, live, memories, proxies, oldest, connections = (
            self._connection.in_bulk(lambda: self._connection.rows(queries.server_stats))[0]
        )
        tables = {
            row[0]: {
                "bytes": row[1],
                "table_bytes": row[2],
                "rows_estimated": max(row[3], row[4], 0),
                "rows_dead": row[5],
                "vacuumed_at": None if row[6] is None else row[6].isoformat(),
            }
            for row in self._connection.rows(queries.table_stats)
        }
        return {
            "database": self._connection.address.shown,
            "engine": f"PostgreSQL {version}",
            "schema_version": self.schema_version(),
            "database_bytes": size,
            "swather_bytes": sum(table["bytes"] for table in tables.values()),
            "connections": connections,
            "oldest_snapshot_seconds": oldest,
            "runs": runs,
            "open_runs": open_runs,
            "live_workers": live,
            "memories": memories,
            "proxies": proxies,
            "tasks": dict(self._connection.rows(queries.task_counts)),
            "tables": tables,
        }

    def transactions(self) -> list[OpenTransaction]:
        return [open_transaction(row) for row in self._connection.rows(queries.transactions)]

    def pragmas(self) -> dict[str, Any]:
        """Also how the hot tables are vacuumed."""
        values: dict[str, Any] = dict(
            self._connection.rows(queries.server_settings, {"names": list(_SERVER_SETTINGS)})
        )
        for table, options in self._connection.rows(queries.table_settings):
            values[f"swather.{table}"] = ", ".join(options)
        return values

    def checkpoint_wal(self) -> dict[str, Any]:
        """Only some users may ask for a checkpoint; the server makes its own in any case."""
        before = self._wal_position()
        try:
            self._connection.outside_transaction("CHECKPOINT")
        except StoreError as error:
            if LACKS_A_RIGHT not in str(error):
                raise
            return {**before, "checkpointed": False, "reason": str(error)}
        return {**before, "checkpointed": True}

    def vacuum(self, *, full: bool = False) -> Iterator[Vacuumed]:
        return vacuum_tables(self._connection, full=full)

    def check(self) -> list[str]:
        rows = self._connection.in_bulk(lambda: self._connection.rows(queries.check))
        wrong = [f"{what}: {which}" for what, which in rows]
        wrong += wrong_keys(self._connection.rows(queries.proxy_urls))
        for _, name in self._connection.rows(queries.restored_runs):
            wrong.append(
                f"results restored from another server cannot be read yet, run {name!r}; "
                f"to fix it: swather db migrate --db {self._connection.address.shown}"
            )
        return wrong

    def prune(self, *, runs_ended_before: datetime | None = None) -> dict[str, int]:
        removed = {"runs": 0}
        if runs_ended_before is not None:
            for (number,) in self._connection.rows(queries.old_runs, {"before": runs_ended_before}):
                removed["runs"] += remove_run(self._connection, number) is not None
        events = self._days("event_days", DEFAULT_EVENT_DAYS)
        removed["events"] = self._delete(queries.prune_events, events)
        pages = self._days("page_age_days", DEFAULT_PAGE_AGE_DAYS)
        removed["pages"] = self._delete(queries.prune_pages, pages)
        removed["bodies"] = drop_orphans(self._connection)
        removed["robots"] = self._delete(queries.prune_robots, ROBOTS_DAYS)
        memories = self._days("memory_days", MAX_DAYS)
        removed["memories"] = self._delete(queries.prune_memories, memories)
        removed["source counts"] = self._delete(queries.prune_source_counts, SOURCE_DAYS)
        removed["firings"] = self._delete(queries.prune_firings, events)
        removed["notices"] = self._delete(queries.prune_notices, events)
        removed["actions"] = self._delete(queries.prune_actions, ACTION_DAYS)
        removed["proxy sites"] = forget_all_sites(self._connection)
        removed["workers"] = self._delete(queries.prune_workers, WORKER_DAYS)
        removed["supervisors"] = self._delete(queries.prune_supervisors, WORKER_DAYS)
        return removed

    def drop_expired(self) -> str | None:
        days = self._days("keep_runs_days", math.inf)
        if days == math.inf:
            return None
        row = self._connection.row(queries.expired_run, {"days": days})
        if row is None:
            return None
        remove_some(self._connection, row[0], EXPIRED_BATCH)
        name: str = row[1]
        return name

    def _wal_position(self) -> dict[str, Any]:
        position, written = self._connection.rows(queries.wal_position)[0]
        return {"position": position, "bytes_written": written}

    def _days(self, name: str, default: float) -> float:
        value = self._connection.value(queries.get_setting, {"name": name})
        return default if value is None else float(decode(value))

    def _delete(self, sql: str, days: float) -> int:
        total = 0
        while True:
            count: int = self._connection.value(sql, {"days": days, "limit": PRUNE_BATCH})
            total += count
            if count < PRUNE_BATCH:
                return total
