"""The demo's kill: a worker killed halfway through, and what happens to the targets it had."""

import os
import signal
import time
from collections import Counter
from typing import Final, NamedTuple

from swather import posix
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.model.worker import Process
from swather.runs.progress import Snapshot
from swather.runs.view import View, WrappingView
from swather.runs.words import count
from swather.store.ports import Store

# What a process that was stopped had sent to a database server is committed by then.
_SETTLED_SECONDS: Final = 0.05


class Killed(NamedTuple):
    """A worker that was killed, and the tasks it had at that moment."""

    worker: str
    tasks: tuple[int, ...]


class KillingView(WrappingView):
    """Shows a run like the view it is given, and kills a worker once `at` pages are done."""

    def __init__(self, view: View, store: Store, run: str, *, at: int) -> None:
        super().__init__(view)
        self.killed: Killed | None = None
        self._store = store
        self._run = run
        self._at = at
        self._killed_at = 0.0
        self._watching = False

    def show(self, snapshot: Snapshot) -> None:
        super().show(snapshot)
        if self.killed is None and snapshot.counts.done >= self._at and not snapshot.is_over:
            self._kill()
        elif self._watching and self.killed is not None:
            self._watch(self.killed)

    def _kill(self) -> None:
        """SIGKILL the worker that has most; next time, if no worker has any now."""
        for name, _ in Counter(holder for _, holder in self._leased()).most_common():
            if (process := self._process_of(name)) is not None:
                break
        else:
            return
        # Stopped first: once it is dead, others may take what it has before we have seen it.
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(_SETTLED_SECONDS)
        tasks = tuple(task for task, holder in self._leased() if holder == name)
        if not tasks:
            os.kill(process.pid, signal.SIGCONT)
            return
        self.say(f"killing {name} with SIGKILL")
        os.kill(process.pid, signal.SIGKILL)
        self._killed_at = time.monotonic()
        self.killed = Killed(name or "", tasks)
        self._watching = True

    def _watch(self, killed: Killed) -> None:
        """Tell when others have, or may have, what the dead worker had."""
        if any(holder == killed.worker for _, holder in self._leased()):
            return
        self._watching = False
        seconds = time.monotonic() - self._killed_at
        had = count(len(killed.tasks), "target")
        self.say(f"it had {had}, given back {seconds:.1f} s later for others to scrape")

    def _process_of(self, name: str | None) -> Process | None:
        here = posix.this_process()
        for worker in self._store.workers.find():
            process = worker.process
            if worker.name == name and (process.host, process.boot_id) == (here.host, here.boot_id):
                return process
        return None

    def _leased(self) -> list[tuple[int, str | None]]:
        leased = TaskFilter(run=self._run, states=frozenset({State.LEASED}))
        return [(task.id, task.worker) for task in self._store.tasks.find(leased, limit=1_000)]
