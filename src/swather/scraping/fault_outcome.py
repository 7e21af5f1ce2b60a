"""The outcome of an attempt that failed: a retry, or failed for good."""

from random import Random

from swather.model.lease import Lease
from swather.model.outcome import Failed, Retry
from swather.model.retry import Again, Backoff, Budgets, decide
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
    return Failed(
        task_id=lease.task_id,
        token=lease.token,
        reason=decision.reason,
        fault=fault,
        exhausted=decision.exhausted,
    )
