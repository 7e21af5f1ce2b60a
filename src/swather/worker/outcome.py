"""From what an attempt came to, to the outcome that is committed."""

from random import Random

import msgspec

from swather.model.lease import Lease
from swather.model.outcome import Completed, Failed, Fault, Outcome, Released, Retry
from swather.model.retry import Again, ErrorClass, decide
from swather.scraping.classify import Classified
from swather.scraping.context import Collected
from swather.worker.job import Job


def completed(lease: Lease, collected: Collected) -> Completed:
    items, children, files, part = collected
    return Completed(
        task_id=lease.task_id,
        token=lease.token,
        part=part,
        items=items,
        children=children,
        files=files,
    )


def released(lease: Lease, after_seconds: float = 0.0) -> Released:
    return Released(task_id=lease.task_id, token=lease.token, after_seconds=after_seconds)


def faulted(lease: Lease, classified: Classified, job: Job, random: Random) -> Outcome:
    """Another attempt or the end, as the scraper's budgets say."""
    fault = classified.fault
    decision = decide(
        fault.error_class,
        lease.faults.plus(fault.error_class, alone=fault.alone),
        fault.message,
        budgets=job.budgets,
        backoff=job.backoff,
        random=random,
        reason=classified.reason,
        after_seconds=classified.after_seconds,
    )
    if isinstance(decision, Again):
        return Retry(
            task_id=lease.task_id,
            token=lease.token,
            fault=fault,
            after_seconds=decision.after_seconds,
        )
    return Failed(
        task_id=lease.task_id,
        token=lease.token,
        reason=decision.reason,
        fault=msgspec.structs.replace(fault, message=decision.message),
    )


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
