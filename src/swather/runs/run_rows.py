"""Runs as lists show them to programs."""

from typing import Any

from swather.model.run import Counts, Run, RunState


def row_of(run: Run, counts: Counts) -> dict[str, Any]:
    return {
        "run": run.name,
        "scraper": run.scraper,
        "state": "paused" if run.paused and run.state is RunState.OPEN else str(run.state),
        "tasks": counts.total,
        "completed": counts.completed,
        "failed": counts.failed,
        "unfinished": counts.unfinished,
        "items": counts.items,
        "keep_open": run.keep_open,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
    }
