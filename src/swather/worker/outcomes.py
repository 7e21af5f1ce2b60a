"""From the way an attempt ended to the outcome that is committed."""

from random import Random
from traceback import StackSummary

import msgspec

from swather.model.lease import Lease
from swather.model.outcome import Completed, Failed, Fault, Outcome, Released, Retry
from swather.model.retry import ErrorClass
from swather.scraping.classify import Classified, classify
from swather.scraping.context import Collected
from swather.scraping.fault_outcome import fault_outcome
from swather.scraping.source_location import (
    definition,
    source_location,
    stack_location,
    traceback_of,
)
from swather.worker.attempt import Attempt, Cut, Ending, is_suspect
from swather.worker.jobs import Job


class Abandoned(Exception):
    """The ending of an attempt that would not end."""


def outcome_of(
    attempt: Attempt, ending: Ending, random: Random
) -> tuple[Outcome | None, Classified | None]:
    """What to commit (None when the lease is gone and there is nothing to say), and what
    went wrong, if the site or the scraper did.
    """
    if attempt.cut is not Cut.LOST and attempt.postponed is not None:
        return released(attempt.lease, attempt.postponed), None
    if isinstance(ending, Collected) and (attempt.cut is None or attempt.cut is Cut.STOP):
        return _noted(completed(attempt, ending), attempt), None
    match attempt.cut:
        case Cut.LOST:
            return None, None
        case Cut.STOP:
            return released(attempt.lease), None
        case Cut.TIMEOUT:
            ending = _timeout_of(attempt, ending)
    if not isinstance(ending, Classified):
        assert isinstance(ending, BaseException)
        # One that should have been in a child of its own, which cannot load its scraper.
        alone = is_suspect(attempt.lease.faults)
        ending = classify(ending, alone=alone)
    job = attempt.job
    ending = _with_location(ending, job)
    if attempt.access is not None and attempt.access.egresses is not None:
        ending = attempt.access.egresses.judge(ending)
    outcome = fault_outcome(attempt.lease, ending, job.budgets, job.backoff, random)
    return _noted(outcome, attempt), ending


def _noted(outcome: Completed | Retry | Failed, attempt: Attempt) -> Outcome:
    """With its egress, the lines of its log, and what it noted of sources. Another attempt drops
    the same items and skips the same targets again, so only those of the successful one count.
    """
    if attempt.access is not None and attempt.access.egresses is not None:
        egress = attempt.access.egresses.last_shown
        outcome = msgspec.structs.replace(outcome, egress=egress)
    notes = attempt.noted
    if notes is None:
        return outcome
    lines, sources = attempt.job.take_log(list(notes.lines)), attempt.take_sources()
    if isinstance(outcome, Completed):
        return msgspec.structs.replace(
            outcome, log=lines, sources=sources, dropped=notes.dropped, skipped=notes.skipped
        )
    if not (lines or sources):
        return outcome
    return msgspec.structs.replace(outcome, log=lines, sources=sources)


def _timeout_of(attempt: Attempt, ending: Ending) -> Classified:
    """A cancelled attempt tells by its traceback where it hung."""
    if isinstance(ending, BaseException) and not isinstance(ending, Abandoned):
        return timed_out(
            attempt.timeout, traceback=traceback_of(ending), where=source_location(ending)
        )
    stack = attempt.stack
    return timed_out(
        attempt.timeout, traceback="".join(stack.format()), where=stack_location(stack)
    )


def _with_location(ending: Classified, job: Job) -> Classified:
    """An error that no line of the user's code is known for is one of the whole scraper."""
    if ending.fault.where:
        return ending
    fault = msgspec.structs.replace(ending.fault, where=definition(job.scraper.function))
    return msgspec.structs.replace(ending, fault=fault)


def stuck(attempt: Attempt, stack: StackSummary) -> Outcome:
    """For an attempt that blocks the whole loop, as if it had died in a child: no other can have
    done it. `stack` is where it does.
    """
    crash = Classified(
        Fault(
            error_class=ErrorClass.CRASH,
            message=(
                f"blocked its worker past the timeout of {attempt.timeout:g}s; from now on it runs "
                "alone, in a child process"
            ),
            traceback="".join(stack.format()),
            where=stack_location(stack),
            alone=True,
        )
    )
    job = attempt.job
    return fault_outcome(
        attempt.lease, _with_location(crash, job), job.budgets, job.backoff, Random()
    )


def completed(attempt: Attempt, collected: Collected) -> Completed:
    items, children, files, memories, part, rejected = collected
    return Completed(
        task_id=attempt.lease.task_id,
        token=attempt.lease.token,
        part=part,
        items=items,
        children=children,
        files=files,
        memories=attempt.memories_of(collected) if memories else (),
        files_folder=str(attempt.job.files.location) if files else "",
        rejected=dict(rejected),
    )


def released(lease: Lease, after_seconds: float = 0.0) -> Released:
    return Released(task_id=lease.task_id, token=lease.token, after_seconds=after_seconds)


def timed_out(seconds: float, *, traceback: str, where: str) -> Classified:
    return Classified(
        Fault(
            error_class=ErrorClass.TIMEOUT,
            message=f"Timeout after {seconds:g}s",
            traceback=traceback,
            where=where,
        )
    )


def crashed(message: str, *, alone: bool) -> Classified:
    return Classified(Fault(error_class=ErrorClass.CRASH, message=message, alone=alone))


def refused(outcome: Outcome, error: Exception) -> Failed:
    """The task cannot be executed here at all, or its result cannot be stored."""
    fault = Fault(error_class=ErrorClass.PERMANENT, message=str(error))
    return Failed(task_id=outcome.task_id, token=outcome.token, reason="bad_input", fault=fault)
