"""Traces as the parts of a worker see them that do not make them; see swather/worker/tracing.py."""

from typing import Protocol

from swather.model.run import Counts, Run


class Traces(Protocol):
    """Of which tasks there are traces, and what is told of runs."""

    def wants(self, task_id: int) -> bool: ...
    def run_ended(self, run: Run, counts: Counts) -> None: ...
