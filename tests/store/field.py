"""A writer at work on a queue that can be made to fail, for its tests."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

from swather.errors import (
    ConnectionLost,
    DatabaseBusy,
    DatabaseUnreachable,
    StoreError,
)
from swather.model.lease import ClaimRequest, Lease
from swather.model.outcome import Completed, Item, Verdict
from swather.model.run import NewRun
from swather.model.task import Target
from swather.model.worker import NewWorker
from swather.posix import this_process
from swather.store.outage import Outage
from swather.store.ports import Store
from swather.store.writer import Writer

PATIENCE_SECONDS = 20
ACCEPTED, STALE = Verdict.ACCEPTED, Verdict.STALE

Fault = Callable[[], None]


class FaultyQueue:
    """A real queue; what is scripted for a verb happens before or after it, once per call."""

    def __init__(self, queue: Any) -> None:
        self.queue = queue
        self.before: dict[str, deque[Fault]] = defaultdict(deque)
        self.after: dict[str, deque[Fault]] = defaultdict(deque)
        self.poison: set[int] = set()
        self.finished: list[tuple[int, int]] = []
        self.claimed: list[int] = []

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._play(self.before[verb])
            answer = getattr(self.queue, verb)(*arguments, **named)
            self._play(self.after[verb])
            return answer

        return call

    def finish(self, outcomes: Any, claim: ClaimRequest | None = None) -> Any:
        self.finished.append((len(outcomes), claim.count if claim else 0))
        self._play(self.before["finish"])
        if self.poison & {outcome.task_id for outcome in outcomes}:
            raise StoreError("the database choked on this")
        answer = self.queue.finish(outcomes, claim)
        self._play(self.after["finish"])
        return answer

    def claim(self, request: ClaimRequest) -> Any:
        self.claimed.append(request.count)
        self._play(self.before["claim"])
        answer = self.queue.claim(request)
        self._play(self.after["claim"])
        return answer

    @staticmethod
    def _play(script: deque[Fault]) -> None:
        if script:
            script.popleft()()


def raises(error: Exception) -> Fault:
    def fault() -> None:
        raise error

    return fault


LOST = raises(ConnectionLost("the server went away"))
BUSY = raises(DatabaseBusy("somebody writes"))
UNREACHABLE = raises(DatabaseUnreachable("connection refused"))


class Gate:
    """Holds the writer in a verb until it is opened, and tells when it is there."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._opened = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self._opened.wait(PATIENCE_SECONDS)

    def wait(self) -> None:
        assert self.reached.wait(PATIENCE_SECONDS)

    def open(self) -> None:
        self._opened.set()


class Field(NamedTuple):
    """A run of forty tasks, a worker, and a writer whose queue can be made to fail."""

    store: Store
    queue: FaultyQueue
    worker_id: int
    make: Callable[..., Writer]

    def request(self, count: int, *runs: str) -> ClaimRequest:
        return ClaimRequest(worker_id=self.worker_id, count=count, runs=runs or ("first",))

    def leases(self, count: int) -> list[Lease]:
        leases = self.store.queue.claim(self.request(count)).leases
        assert len(leases) == count
        return leases

    def completed(self) -> int:
        return self.store.runs.counts("first").completed


@contextmanager
def a_field(store: Store) -> Iterator[Field]:
    for run in ("first", "second"):
        store.runs.create(NewRun(scraper="books", name=run))
        store.tasks.enqueue(run, [Target(value=f"{run} {n}") for n in range(40)])
    worker_id = store.workers.register(NewWorker(process=this_process()))
    queue = FaultyQueue(store.queue)
    writers: list[Writer] = []

    def make(**bounds: Any) -> Writer:
        store = SimpleNamespace(queue=queue, outage=Outage())
        writers.append(Writer(store, **bounds))  # type: ignore[arg-type]
        return writers[-1]

    yield Field(store, queue, worker_id, make)
    for writer in writers:
        writer.close(timeout_seconds=PATIENCE_SECONDS)


def done(lease: Lease, *data: Any) -> Completed:
    items = [Item(each) for each in data]
    return Completed(task_id=lease.task_id, token=lease.token, part=lease.part, items=items)


def forged(lease: Lease) -> Completed:
    return Completed(task_id=lease.task_id, token=lease.token + 1_000)


def result(future: Future[Any]) -> Any:
    return future.result(timeout=PATIENCE_SECONDS)
