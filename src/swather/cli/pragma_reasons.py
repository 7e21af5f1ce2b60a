"""Why the databases are set as they are: one sentence for each setting that `pragmas` shows."""

from typing import Final

REASONS: Final[dict[str, str]] = {
    # SQLite
    "journal_mode": "readers and the one writer do not wait for each other",
    "synchronous": "a commit is on the disk before it is acknowledged, also after a power cut",
    "busy_timeout": "milliseconds that a writer waits for its turn before it gives up",
    "cache_size": "pages, or kilobytes if negative, that a connection keeps in memory",
    "mmap_size": "0: reads go through the cache, so a damaged disk is an error and not a crash",
    "page_size": "bytes per page; SQLite's own default, which suits small rows",
    "page_count": "pages in the file, free ones included",
    "freelist_count": "free pages; new rows take them first, `swather db vacuum` gives them back",
    "auto_vacuum": "free pages can be given back without writing the whole file anew",
    "temp_store": "sorting for a query needs no temporary file",
    "foreign_keys": "removing a run cannot leave rows behind",
    "wal_autocheckpoint": "0: we checkpoint on a timer, so that no commit pays for all others",
    "user_version": "number of the last migration",
    # PostgreSQL
    "server_version": "the tests run on 15",
    "fsync": "must be on: off loses acknowledged work in a power cut, or the whole database",
    "synchronous_commit": "must be on: off acknowledges commits that a crash can still lose",
    "full_page_writes": "must be on: a page half-written in a power cut can then be made whole",
    "wal_level": "how much the log tells: copies on other servers need replica or logical",
    "max_wal_size": "the server checkpoints when the log has grown by this much",
    "checkpoint_timeout": "and after this time at the latest",
    "default_transaction_isolation": "each statement sees what was committed before it began",
    "shared_buffers": "what the server keeps in memory; a quarter of the machine is a good start",
    "effective_cache_size": "what the planner takes to be in memory, the system's cache included",
    "work_mem": "memory for each sort; loading sorts its batches",
    "max_connections": "each worker process takes two or three",
    "autovacuum": "must be on: claims leave dead rows behind, which slow the next ones",
    "autovacuum_max_workers": "how many tables the server vacuums at the same time",
    "autovacuum_naptime": "how often the server looks for tables to vacuum",
    "jit": "off: compiling costs more than a claim",
    "plan_cache_mode": "the hot statements are planned once, not at every call",
    "statement_timeout": "0 is no limit; locks and idle transactions have limits of their own",
    "lock_timeout": "how long a statement waits for a lock before it looks who holds it",
    "transaction_timeout": "nor one that was stopped in the middle of its statements",
    "client_connection_check_interval": "a client that is gone is noticed while it is worked for",
    "tcp_keepalives_idle": "a client whose machine is gone is noticed within half a minute",
    "tcp_keepalives_interval": "seconds between the questions that it does not answer",
    "tcp_keepalives_count": "how many of them it may leave unanswered",
    "tcp_user_timeout": "the same while it is being written to",
    "idle_in_transaction_session_timeout": "a stopped process must not hold its locks for ever",
    "timezone": "all times are UTC",
}

_BUSY_TABLE: Final = "changes all day: room for updates in place, or an early vacuum"


def reason_for(name: str) -> str:
    """Why a setting is as it is; '' if nobody has said."""
    return _BUSY_TABLE if name.startswith("swather.") else REASONS.get(name, "")
