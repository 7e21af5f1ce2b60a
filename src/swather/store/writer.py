"""The writer: one thread that commits the writes of many callers in shared transactions."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from itertools import islice
from threading import Condition, Event, Thread
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from swather.errors import Closed, DatabaseUnusable
from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.outcome import File, Item, Memory, Outcome, Verdict
from swather.model.pacing import Limits
from swather.model.source import SourceNote, SourceState
from swather.model.stored_page import StoredPage
from swather.model.task import Target
from swather.store.ports import Fence, Store
from swather.store.retrying_queue import RetryingQueue, WriterStatistics
from swather.store.write_batch import (
    Bounds,
    Call,
    Claim,
    Finish,
    Job,
    StorePages,
    WriteBatch,
    answer,
    fitting,
    merged,
    refuse,
    share_out,
)

# An error of these fails every job, not only one.
HOPELESS: Final = (Closed, DatabaseUnusable)


class Writer:
    """Commits at once when idle; jobs that arrive during a transaction share the next one.

    Each verb returns a future. Jobs from before `start` wait for it. Cancelling the future
    of a claim that has not begun withdraws it; every other write, once handed over, is made.
    """

    def __init__(
        self,
        store: Store,
        *,
        max_rows: int = 1_000,
        max_bytes: int = 4 << 20,
        max_wait_seconds: float = 0.05,
    ) -> None:
        self._store = store
        self._bounds = Bounds(max_rows, max_bytes, max_wait_seconds)
        self._waiting: deque[Job] = deque()
        self._batch = WriteBatch()
        self._changed = Condition()
        self._closing = False
        self._give_up = Event()
        self._queue = RetryingQueue(store.queue, self._give_up, store.outage)
        self._thread = Thread(target=self._run, name="swather-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self, timeout_seconds: float = 30.0) -> bool:
        """Accept nothing more and commit what waits; False when that took too long and the
        remaining callers got Closed.
        """
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(timeout_seconds)
        drained = not self._waiting and not self._thread.is_alive()
        self._abandon()
        return drained

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def finish(self, outcomes: Sequence[Outcome]) -> Future[list[Verdict]]:
        """Commit these outcomes, all or none; a verdict for each, in their order."""
        job = Finish(outcomes)
        job.future.set_running_or_notify_cancel()
        self._hand_over(job)
        return job.future

    def claim(self, request: ClaimRequest) -> Future[Claimed]:
        """Claim tasks, merged with other claims of the same kind."""
        hash(request)  # an unhashable filter is the caller's mistake and must not reach the thread
        job = Claim(request)
        self._hand_over(job)
        return job.future

    def progress(self, fence: Fence, progress: Any) -> Future[Verdict]:
        return self._call(lambda: self._store.queue.progress(fence, progress))

    def checkpoint(
        self,
        fence: Fence,
        *,
        part: int,
        cursor: Any,
        items: Sequence[Item] = (),
        children: Sequence[Target] = (),
        files: Sequence[File] = (),
        memories: Sequence[Memory] = (),
        sources: Sequence[SourceNote] = (),
        rejected: Mapping[str, int] = MappingProxyType({}),
    ) -> Future[Verdict]:
        return self._call(
            lambda: self._store.queue.checkpoint(
                fence,
                part=part,
                cursor=cursor,
                items=items,
                children=children,
                files=files,
                memories=memories,
                sources=sources,
                rejected=rejected,
            )
        )

    def recall(
        self, scraper: str, keys: Collection[str], max_age_seconds: float | None
    ) -> Future[dict[str, Any]]:
        """What was remembered, as soon as the database answers."""
        return self._call(
            lambda: self._store.memories.recall(scraper, keys, max_age_seconds=max_age_seconds)
        )

    def ask_source(self, fence: Fence, scraper: str, source: str) -> Future[SourceState]:
        return self._call(lambda: self._store.sources.ask(fence, scraper, source))

    def permits(
        self,
        fence: Fence,
        lane: str,
        count: int = 1,
        *,
        in_flight: int | None = None,
        gives_up: bool = False,
        ahead_seconds: float = 0.0,
        limits: Limits | None = None,
    ) -> Future[Permits]:
        return self._call(
            lambda: self._store.queue.permits(
                fence,
                lane,
                count,
                in_flight=in_flight,
                gives_up=gives_up,
                ahead_seconds=ahead_seconds,
                limits=limits,
            )
        )

    def set_in_flight(self, worker_id: int, lane: str, n: int) -> Future[None]:
        return self._call(lambda: self._store.queue.set_in_flight(worker_id, lane, n))

    def hand_over_partitions(self, worker_id: int) -> Future[list[str]]:
        """After the claims before it, and before those after it."""
        return self._call(lambda: self._store.partitions.hand_over(worker_id))

    def store_pages(self, run: str, pages: Sequence[StoredPage]) -> Future[None]:
        """Store pages, together with others of their run, before any outcome that is handed over
        after them.
        """
        job = StorePages(run, pages)
        job.future.set_running_or_notify_cancel()
        self._hand_over(job)
        return job.future

    def statistics(self) -> WriterStatistics:
        return self._queue.statistics()

    def _call(self, verb: Callable[[], Any]) -> Future[Any]:
        job = Call(verb)
        job.future.set_running_or_notify_cancel()
        self._hand_over(job)
        return job.future

    def _hand_over(self, job: Job) -> None:
        with self._changed:
            if self._closing:
                raise Closed("the writer was closed; nothing more can be written through it")
            self._waiting.append(job)
            self._changed.notify()

    def _run(self) -> None:
        try:
            while batch := self._take():
                self._carry_out(batch)
        finally:
            self._abandon()

    def _take(self) -> WriteBatch | None:
        """Wait for work; None when the writer was closed and there is no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            front = [*islice(self._waiting, self._bounds.max_rows)]
        # Outside the lock, so that no one waits for it; only this thread removes jobs.
        count = fitting(front, self._bounds)
        with self._changed:
            if not self._waiting:
                return None
            self._batch = WriteBatch([self._waiting.popleft() for _ in range(count)])
            return self._batch

    def _carry_out(self, batch: WriteBatch) -> None:
        for call in batch.calls:
            try:
                answer(call.future, self._queue.repeat(call.verb))
            except Exception as error:  # noqa: BLE001 - it is the caller's, who waits for it
                refuse(call.future, error)
        for run, page_jobs in batch.page_jobs.items():
            self._store_pages(run, page_jobs)
        first, *others = [*batch.claims.values()] or [[]]
        self._commit(batch.finishes, first)
        for claims in others:
            self._commit([], claims)

    def _store_pages(self, run: str, page_jobs: Sequence[StorePages]) -> None:
        """One transaction; when it fails, each job by itself."""
        pages = [page for job in page_jobs for page in job.pages]
        try:
            self._queue.repeat(lambda: self._store.pages.put(run, pages))
        except Exception as error:  # noqa: BLE001 - it is the callers', who wait for it
            if len(page_jobs) > 1 and not isinstance(error, HOPELESS):
                for job in page_jobs:
                    self._store_pages(run, [job])
                return
            for job in page_jobs:
                refuse(job.future, error)
            return
        for job in page_jobs:
            answer(job.future, None)

    def _commit(self, finishes: Sequence[Finish], claims: Sequence[Claim]) -> None:
        """One transaction for all; when it fails, it is split in halves until the guilty job is
        alone.
        """
        jobs: list[Finish | Claim] = [*finishes, *claims]
        if not jobs:
            return
        try:
            self._transact(finishes, claims)
        except Exception as error:  # noqa: BLE001 - it is the callers', who wait for it
            if len(jobs) == 1 or isinstance(error, HOPELESS):
                for job in jobs:
                    refuse(job.future, error)
                return
            for part in (jobs[: len(jobs) // 2], jobs[len(jobs) // 2 :]):
                self._commit(
                    [job for job in part if isinstance(job, Finish)],
                    [job for job in part if isinstance(job, Claim)],
                )

    def _transact(self, finishes: Sequence[Finish], claims: Sequence[Claim]) -> None:
        outcomes = [outcome for job in finishes for outcome in job.outcomes]
        request = merged(claims) if claims else None
        verdicts, claimed = self._queue.finish(outcomes, request)
        first = 0
        for job in finishes:
            answer(job.future, verdicts[first : first + len(job.outcomes)])
            first += len(job.outcomes)
        if claimed is None:
            self._commit([], claims)
        else:
            share_out(claims, claimed)

    def _abandon(self) -> None:
        """Fail all jobs that still wait."""
        error = Closed("the writer was closed before this was known to be committed")
        with self._changed:
            self._give_up.set()
            left = [*self._waiting, *self._batch.jobs]
            self._waiting.clear()
        for job in left:
            refuse(job.future, error)
