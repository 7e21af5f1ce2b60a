"""`swather db stats`."""

from typing import Final

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather db stats
swather db stats --db postgresql://me@localhost/queue
swather db stats --json | jq .tasks.ready"""

RECENT_RUNS: Final = 10
WORDS: Final = {
    "file_bytes": "file",
    "wal_bytes": "write-ahead log",
    "database_bytes": "whole database",
    "swather_bytes": "swather's tables",
    "oldest_snapshot_seconds": "oldest snapshot (s)",
}


def command(db: Database = None, as_json: AsJSON = False) -> None:
    """Count runs, tasks, workers and bytes.

    Tasks are counted by state over all runs, and for each of the newest runs. The counts come from
    counter rows, so that ten million tasks cost no more than ten.
    """
    from swather.cli import database, output

    with database.opened(db) as store:
        stats = store.upkeep.stats()
        runs = [(run, store.runs.counts(run.name)) for run in store.runs.find(limit=RECENT_RUNS)]
    recent = [
        {
            "run": run.name,
            "state": str(run.state),
            "waiting": counts.waiting,
            "leased": counts.leased,
            "completed": counts.completed,
            "failed": counts.failed,
            "cancelled": counts.cancelled,
            "items": counts.items,
        }
        for run, counts in runs
    ]
    stats["database"] = database.shown(db)
    stats["tasks"] = _every_state(stats.get("tasks", {}))
    if as_json:
        output.print_json({**stats, "recent_runs": recent})
        return
    tables = [
        output.facts(output.readable(stats, WORDS)),
        output.listing(("tasks", "count"), stats["tasks"].items()),
    ]
    if recent:
        tables.append(output.listing(tuple(recent[0]), [tuple(row.values()) for row in recent]))
    output.show(*tables)


def _every_state(tasks: dict[str, int]) -> dict[str, int]:
    from swather.model.task import State

    return {str(state): tasks.get(state, 0) for state in State}
