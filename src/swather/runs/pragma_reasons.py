"""Why the databases are configured this way: a sentence per setting that `pragmas` shows."""

from typing import Final

REASONS: Final[dict[str, str]] = {
    # SQLite
    "journal_mode": "readers and the one writer do not wait for each other",
    "synchronous": "a commit is on disk before it is acknowledged, so it survives a power cut",
    "busy_timeout": "milliseconds that a writer waits for its turn before it gives up",
    "cache_size": "pages, or kilobytes if negative, that a connection keeps in memory",
    "mmap_size": "0: reads go through the cache, so a bad disk causes an error, not a crash",
    "page_size": "bytes per page; SQLite's own default, which suits small rows",
    "page_count": "pages in the file, free ones included",
    "freelist_count": "free pages; new rows take them first, `swather db vacuum` gives them back",
    "auto_vacuum": "free pages can be given back without rewriting the whole file",
    "temp_store": "queries sort in memory, without a temporary file",
    "foreign_keys": "removing a run cannot leave rows behind",
    "wal_autocheckpoint": "0: we checkpoint on a timer, so no single commit pays for it",
    "user_version": "number of the last migration",
    # PostgreSQL
    "server_version": "the tests run on 15",
    "fsync": "must be on: off loses acknowledged work in a power cut, or the whole database",
    "synchronous_commit": "must be on: off acknowledges commits that a crash can still lose",
    "full_page_writes": "must be on: it repairs pages that a power cut left half-written",
    "wal_level": "how much the log holds: replicas need replica or logical",
    "max_wal_size": "the server checkpoints when the log has grown by this much",
    "checkpoint_timeout": "the server checkpoints at least this often",
    "default_transaction_isolation": "each statement sees what was committed before it began",
    "shared_buffers": "what the server keeps in memory; a quarter of the machine is a good start",
    "effective_cache_size": "how much the planner assumes is cached, by the system too",
    "work_mem": "memory for each sort; loading sorts its batches",
    "max_connections": "each worker process takes two or three",
    "autovacuum": "must be on: claims leave dead rows behind, which slow the next ones",
    "autovacuum_max_workers": "how many tables the server vacuums at the same time",
    "autovacuum_naptime": "how often the server looks for tables to vacuum",
    "jit": "off: compiling costs more than a claim",
    "plan_cache_mode": "the hot statements are planned once, not at every call",
    "statement_timeout": "0 means no limit; locks and idle transactions have limits of their own",
    "lock_timeout": "how long a statement waits for a lock before we look for who holds it",
    "transaction_timeout": "a transaction that was stopped between two statements is ended",
    "client_connection_check_interval": "notices during a statement that its client is gone",
    "tcp_keepalives_idle": "notices within half a minute that a client's machine is gone",
    "tcp_keepalives_interval": "seconds between two keepalive probes",
    "tcp_keepalives_count": "unanswered probes after which the client counts as gone",
    "tcp_user_timeout": "the same while data is being sent to the client",
    "idle_in_transaction_session_timeout": "a stopped process must not hold its locks forever",
    "timezone": "all times are UTC",
}

_BUSY_TABLE: Final = "changes constantly: room for updates in place, or an early vacuum"


def reason_for(name: str) -> str:
    """Why a setting has its value; '' if there is no reason given."""
    return _BUSY_TABLE if name.startswith("swather.") else REASONS.get(name, "")
