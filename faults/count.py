"""What a trial came to: what must be zero, and what tells that faults were felt."""

import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from faults.ledger import Ledger
from swather.model.task import State, Task
from swather.model.task_filter import TaskFilter
from swather.runs.export import export
from swather.store import Store


class Count(NamedTuple):
    """LOST acknowledged keys without an end; PHANTOM tasks nobody asked for; DUP_EFFECT keys with
    more than one item, line or file; STALE_WRITE results of an attempt that was not the accepted
    one; STUCK tasks that never ended; MISLABELLED tasks that failed though nothing was wrong with
    them. DUP_RUN executions beyond the first are allowed.
    """

    tasks: int
    lost: int
    phantom: int
    dup_effect: int
    stale_write: int
    stuck: int
    mislabelled: int
    wrong: int
    dup_run: int

    @property
    def holds(self) -> bool:
        return not any(self[1:-1])


def count(store: Store, run: str, ledger: Ledger, folder: Path) -> Count:
    tasks = {task.target["key"]: task for task in _tasks(store, run)}
    ended = {key for key, task in tasks.items() if task.state in (State.COMPLETED, State.FAILED)}
    items: Counter[str] = Counter()
    stale = 0
    export(store, run, folder / "results.jsonl")
    for line in (folder / "results.jsonl").read_text().splitlines():
        item = json.loads(line)
        items[item["key"]] += 1
        stale += not _is_by(tasks[item["key"]], item["pids"])
    completed = {key for key, task in tasks.items() if task.state is State.COMPLETED}
    files = folder / "files"
    doubled_files = sum(1 for path in files.glob("*-1.txt"))
    saving = {key for key in completed if tasks[key].target["saves"]}
    unnamed = sum(1 for key in saving if not (files / f"{key}.txt").exists())
    return Count(
        tasks=len(tasks),
        lost=len(ledger.acknowledged - ended) + len(completed - set(items)) + unnamed,
        phantom=len(set(tasks) - ledger.attempted),
        dup_effect=sum(1 for n in items.values() if n > 1) + doubled_files,
        stale_write=stale,
        stuck=sum(1 for task in tasks.values() if not task.state.is_terminal),
        mislabelled=sum(1 for task in tasks.values() if task.state is State.FAILED),
        wrong=len(store.upkeep.check()),
        dup_run=sum(n - 1 for n in ledger.executions.values()),
    )


def _tasks(store: Store, run: str) -> list[Task]:
    found: list[Task] = []
    while more := store.tasks.find(
        TaskFilter(run=run), after_id=found[-1].id if found else 0, limit=1_000
    ):
        found += more
    return found


def _is_by(task: Task, pids: list[int]) -> bool:
    """A worker is called host_pid_number."""
    return task.worker is not None and int(task.worker.rsplit("_", 2)[1]) in pids
