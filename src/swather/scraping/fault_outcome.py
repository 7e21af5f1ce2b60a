"""The outcome of an attempt that failed: a retry, or failed for good."""

from random import Random

import msgspec

from swather.model.lease import Lease
from swather.model.outcome import Failed, Retry
from swather.model.retry import Again, Backoff, Budgets, ErrorClass, decide
from swather.scraping.classify import Classified


def fault_outcome(
    lease: Lease, classified: Classified, budgets: Budgets, backoff: Backoff, random: Random
) -> Retry | Failed:
    """A retry as long as the budgets allow one."""
    fault = classified.fault
    decision = decide(
        fault.error_class,
        lease.faults.plus(fault.error_class, alone=fault.alone),
        budgets=budgets,
        backoff=backoff,
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
    if fault.error_class is ErrorClass.LATER:
        message = f"postponed {budgets.postponed} times, and still: {fault.message}"
        fault = msgspec.structs.replace(fault, message=message)
    return Failed(
        task_id=lease.task_id,
        token=lease.token,
        reason=decision.reason,
        fault=fault,
        exhausted=decision.exhausted,
    )
