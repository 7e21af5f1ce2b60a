"""Targets of a run that execute now, as their workers tell, and those that seem stuck."""

from swather.model.standstill import standstill_seconds
from swather.runs.worker_line import RunningTarget, lines_of
from swather.store import Store


def running_targets(store: Store, run: str) -> dict[int, RunningTarget]:
    """By the number of their task. A worker tells of the twenty that began first."""
    lines = lines_of(store.workers.find(), store.runs.get(run))
    return {each.task: each for line in lines for each in line.current}


def stuck_targets(store: Store, run: str) -> dict[int, RunningTarget]:
    """Those that have run for much longer than targets of their worker usually take."""
    lines = lines_of(store.workers.find(), store.runs.get(run))
    return {
        each.task: each
        for line in lines
        for each in line.current
        if each.seconds >= standstill_seconds(line.average_seconds or 0.0, 0.0)
    }
