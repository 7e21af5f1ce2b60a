"""Jobs for the writer, and how many of them go into one transaction."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from swather.model.lease import Claimed, ClaimRequest
from swather.model.outcome import Completed, EncodedItem, Outcome, Verdict
from swather.model.stored_page import StoredPage

_encoder: Final = msgspec.json.Encoder()


@dataclass(slots=True, eq=False)
class Finish:
    outcomes: Sequence[Outcome]
    future: Future[list[Verdict]] = field(default_factory=Future)


@dataclass(slots=True, eq=False)
class Claim:
    request: ClaimRequest
    future: Future[Claimed] = field(default_factory=Future)


@dataclass(slots=True, eq=False)
class Call:
    """Any other idempotent verb of the queue."""

    verb: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)


@dataclass(slots=True, eq=False)
class StorePages:
    """Pages of one run."""

    run: str
    pages: Sequence[StoredPage]
    future: Future[None] = field(default_factory=Future)


Job = Finish | Claim | Call | StorePages


class WriteBatch:
    """Jobs that are carried out together: the calls one by one, the pages of each run, then all
    outcomes with the claims. A task's calls and pages stay before its finish.
    """

    def __init__(self, jobs: Sequence[Job] = ()) -> None:
        self.jobs = jobs
        self.calls = [job for job in jobs if isinstance(job, Call)]
        self.page_jobs: dict[str, list[StorePages]] = {}
        for job in jobs:
            if isinstance(job, StorePages):
                self.page_jobs.setdefault(job.run, []).append(job)
        self.finishes = [job for job in jobs if isinstance(job, Finish)]
        self.claims: dict[ClaimRequest, list[Claim]] = {}
        for job in jobs:
            if isinstance(job, Claim) and job.future.set_running_or_notify_cancel():
                self.claims.setdefault(without_count(job.request), []).append(job)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one transaction takes at most; a single job may be larger."""

    max_rows: int
    max_bytes: int
    max_wait_seconds: float


def fitting(jobs: Sequence[Job], bounds: Bounds) -> int:
    """How many of the first `jobs` fit into one transaction; weighing them is part of its time."""
    rows = size_bytes = wanted = 0
    until = time.monotonic() + bounds.max_wait_seconds
    for count, job in enumerate(jobs):
        if isinstance(job, Finish):
            rows += rows_of(job.outcomes)
            size_bytes += size_of(job.outcomes)
        elif isinstance(job, StorePages):
            rows += len(job.pages)
            size_bytes += sum(len(page.content) for page in job.pages)
        elif isinstance(job, Claim):
            wanted += job.request.count
        full = rows > bounds.max_rows or wanted > bounds.max_rows or size_bytes > bounds.max_bytes
        if count and (full or time.monotonic() > until):
            return count
    return len(jobs)


def rows_of(outcomes: Sequence[Outcome]) -> int:
    return sum(
        1 + len(outcome.items) + len(outcome.children) + len(outcome.files) + len(outcome.memories)
        if isinstance(outcome, Completed)
        else 1
        for outcome in outcomes
    )


def size_of(outcomes: Sequence[Outcome]) -> int:
    size = 0
    for outcome in outcomes:
        if isinstance(outcome, Completed):
            for item in outcome.items:
                size += len(item.data) if type(item) is EncodedItem else _json_bytes(item.data)
            for child in outcome.children:
                size += _json_bytes(child.value)
    return size


def _json_bytes(value: Any) -> int:
    """0 for what cannot be encoded: the store says what is wrong with it."""
    if isinstance(value, msgspec.Raw):
        return len(value)
    try:
        return len(_encoder.encode(value))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return 0


def without_count(request: ClaimRequest) -> ClaimRequest:
    """Requests that differ only in how many tasks they want can be merged."""
    return msgspec.structs.replace(request, count=1)


def merged(claims: Sequence[Claim]) -> ClaimRequest:
    total = sum(claim.request.count for claim in claims)
    return msgspec.structs.replace(claims[0].request, count=total)


def share_out(claims: Sequence[Claim], claimed: Claimed) -> None:
    """Hand out the leases, first come, first served."""
    leases = claimed.leases
    first = 0
    for claim in claims:
        share = leases[first : first + claim.request.count]
        first += len(share)
        short = len(share) < claim.request.count
        answer(claim.future, Claimed(share, claimed.retry_after_seconds if short else None))


def answer(future: Future[Any], result: Any) -> None:
    # A writer that was closed at its deadline has already told the caller.
    with suppress(InvalidStateError):
        future.set_result(result)


def refuse(future: Future[Any], error: Exception) -> None:
    with suppress(InvalidStateError):
        future.set_exception(error)
