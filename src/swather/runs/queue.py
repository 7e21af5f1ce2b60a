"""The queue for people who bring their own worker loop: claim, process, report.

with swather.open("sqlite:///queue.db") as queue:
    queue.enqueue("shops", ["a", "b", "c"])
    while leases := queue.claim(10, run="shops"):
        for lease in leases:
            try:
                queue.finish(lease, [scrape(lease.target)])
            except Exception as error:
                queue.finish(lease, error=error)
"""

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from types import TracebackType
from typing import Any, Final, Self

import swather.store
from swather import posix
from swather.errors import NotFound, Transient
from swather.model.lease import ClaimRequest, Lease, Strategy
from swather.model.outcome import (
    Completed,
    EncodedItem,
    Failed,
    Outcome,
    Released,
    Retry,
    Verdict,
)
from swather.model.payload import decode, encode_item
from swather.model.retry import Backoff, Budgets
from swather.model.run import Counts, NewRun, Run
from swather.model.task import Target
from swather.model.worker import NewWorker
from swather.net.private_hosts import Host, hosts_in
from swather.runs.fresh_chance import close_breakers
from swather.runs.items import Reading
from swather.scraping.classify import classify
from swather.scraping.fault_outcome import fault_outcome
from swather.scraping.scraper import Scraper, scraper
from swather.scraping.targets import target_of
from swather.store.clock import Clock
from swather.store.factory import DEFAULT_URL
from swather.store.ports import Enqueued, Fence

_BATCH: Final = 1_000
_MAX_HOSTS_KNOWN: Final = 100_000
SWEEP_SECONDS: Final = 5.0
LONGEST_WAIT_SECONDS: Final = 1.0


def open(
    url: str = DEFAULT_URL,
    *,
    name: str | None = None,
    lease_seconds: float = 60.0,
    clock: Clock | None = None,
) -> "Queue":
    """The queue in a database, for a worker loop of your own.

    A SQLite file is made if there is none; PostgreSQL needs its tables first (`swather db init`).
    `name` is what this worker is called, `lease_seconds` after which others take over what it
    holds unless it calls `beat`.
    """
    return Queue(swather.store.open(url, clock=clock), name=name, lease_seconds=lease_seconds)


class Queue:
    """Targets go in, leases come out, and every lease is finished or released.

    What is not finished within `lease_seconds` of the last `beat` or `claim` goes to another
    worker, and finishing it changes nothing. For use by one thread; closing gives
    back what is held.
    """

    def __init__(
        self, store: swather.store.Store, *, name: str | None = None, lease_seconds: float = 60.0
    ) -> None:
        self._store = store
        self._new = NewWorker(
            process=posix.this_process(), name=name, lease_seconds=lease_seconds, version="own loop"
        )
        self._worker_id: int | None = None
        self._held: dict[Fence, Lease] = {}
        # By run, host and port: those that need not be allowed again.
        self._allowed: set[tuple[int, str, int]] = set()
        self._sweep_at = 0.0
        self._random = Random()

    @property
    def url(self) -> str:
        return self._store.url

    def enqueue(
        self, run: str, targets: Iterable[Any], *, scraper: Scraper | str | None = None
    ) -> Enqueued:
        """Add targets (any JSON, or a Target) to a run, which is made if there is none of that
        name; how many were new. Those that the run has already are left alone. New ones close the
        circuit breakers of the run's scraper.

        A `scraper` names the run's, and gives its targets their lanes and the run its limits.
        """
        made = scraper if isinstance(scraper, Scraper) else _named(scraper or run)
        try:
            found = self._store.runs.get(run)
        except NotFound:
            limits = made.options.lane_limits()
            new = NewRun(scraper=made.name, name=run, lane_limits=limits)
            found = self._store.runs.create(new)
        added = self._store.tasks.enqueue(found, self._allowing(found, made, targets))
        # Workers need not wait until breakers were looked for, of which there are hardly any.
        self._store.hints.send()
        if added.added and close_breakers(self._store, found.scraper):
            self._store.hints.send()
        return added

    def _allowing(self, run: Run, made: Scraper, targets: Iterable[Any]) -> Iterator[Target]:
        """The targets; their hosts are allowed first, as if a person had named them."""
        values = iter(targets)
        while batch := [_target(made, value) for value in islice(values, _BATCH)]:
            self._allow(run, hosts_in(target.value for target in batch))
            yield from batch

    def _allow(self, run: Run, hosts: set[Host]) -> None:
        new = {(run.id, *host) for host in hosts} - self._allowed
        if not new:
            return
        self._store.allowed_hosts.add(run.name, {host[1:] for host in new})
        if len(self._allowed) > _MAX_HOSTS_KNOWN:
            self._allowed.clear()
        self._allowed |= new

    def claim(
        self,
        count: int = 1,
        *,
        run: str | None = None,
        strategy: Strategy | str | None = None,
        wait_seconds: float = 0.0,
    ) -> list[Lease]:
        """Up to `count` tasks for this worker, of one run or of any; none when there are none
        within `wait_seconds`. A run with nothing left to do is finished by this.
        """
        # A worker that has been silent for too long is given none.
        self.beat()
        request = ClaimRequest(
            worker_id=self._worker(),
            count=count,
            runs=None if run is None else (run,),
            strategy=None if strategy is None else Strategy(strategy),
        )
        until = time.monotonic() + wait_seconds
        while True:
            self._sweep()
            claimed = self._store.queue.claim(request)
            self._held.update({lease.fence: lease for lease in claimed.leases})
            left = until - time.monotonic()
            if claimed.leases or (run is not None and self._store.runs.settle(run)) or left <= 0:
                return claimed.leases
            due = claimed.retry_after_seconds
            self._store.hints.wait(
                min(left, LONGEST_WAIT_SECONDS if due is None else due, LONGEST_WAIT_SECONDS)
            )

    def beat(self, statistics: dict[str, Any] | None = None) -> list[Lease]:
        """Renew all leases; those that were lost, whose results will not be kept. To be called at
        least every third of `lease_seconds` while something is held.
        """
        answer = self._store.workers.beat(self._worker(), set(self._held), statistics)
        if not answer.alive:
            self._worker_id = None
        return [self._held.pop(fence) for fence in answer.lost if fence in self._held]

    def finish(
        self,
        lease: Lease,
        items: Iterable[Any] = (),
        *,
        targets: Iterable[Any] = (),
        error: BaseException | str | None = None,
        retries: int = 3,
        backoff: float = 2.0,
    ) -> bool:
        """Report a task as done, with its items and the further targets it led to, or as failed
        with an `error`, by which it is retried or given up as a scraper's would be.

        False when the lease was no longer this worker's: nothing was changed.
        """
        outcome: Outcome
        if error is None:
            plain = _named("any")
            outcome = Completed(
                task_id=lease.task_id,
                token=lease.token,
                part=lease.part,
                items=[EncodedItem(encode_item(item)) for item in items],
                children=[_target(plain, value, lease.task_id) for value in targets],
            )
        else:
            failure = error if isinstance(error, BaseException) else Transient(error)
            outcome = self._failed(lease, failure, Budgets(retries=retries), Backoff(backoff))
        return self._commit(outcome)

    def release(self, lease: Lease) -> bool:
        """Give a task back as it came, without a charge; False when it was no longer held."""
        return self._commit(Released(task_id=lease.task_id, token=lease.token))

    def stats(self, run: str) -> Counts:
        """How many tasks of a run are in each state, and what they have produced."""
        return self._store.runs.counts(run)

    def items(self, run: str) -> Iterator[Any]:
        """What a run has produced, in the order in which it was committed."""
        for lines in Reading(self._store, run):
            yield from map(decode, lines)

    def close(self) -> None:
        """Give back what is still held."""
        if self._worker_id is not None:
            self._store.workers.retire(self._worker_id)
            self._worker_id = None
            self._store.hints.send()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _worker(self) -> int:
        if self._worker_id is None:
            self._worker_id = self._store.workers.register(self._new)
            self._held.clear()
        return self._worker_id

    def _sweep(self) -> None:
        if time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + SWEEP_SECONDS
            self._store.workers.sweep()

    def _commit(self, outcome: Outcome) -> bool:
        verdict = self._store.queue.finish([outcome]).verdicts[0]
        # Not before: a lease that is not held goes back with the next beat.
        self._held.pop(outcome.fence, None)
        return verdict is Verdict.ACCEPTED

    def _failed(
        self, lease: Lease, error: BaseException, budgets: Budgets, backoff: Backoff
    ) -> Retry | Failed:
        return fault_outcome(lease, classify(error), budgets, backoff, self._random)


def _named(name: str) -> Scraper:
    """A scraper that only has a name and everybody's defaults."""
    return scraper(name=name)(_nothing)


def _nothing(ctx: object, target: object) -> None:
    del ctx, target


def _target(made: Scraper, value: Any, parent_id: int | None = None) -> Target:
    return value if isinstance(value, Target) else target_of(made, value, parent_id=parent_id)
