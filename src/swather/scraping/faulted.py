"""What follows from an attempt that went wrong: another one, or the end."""

from random import Random

import msgspec

from swather.model.lease import Lease
from swather.model.outcome import Failed, Retry
from swather.model.retry import Again, Backoff, Budgets, decide
from swather.scraping.classify import Classified


def faulted(
    lease: Lease, classified: Classified, budgets: Budgets, backoff: Backoff, random: Random
) -> Retry | Failed:
    """As the budgets say."""
    fault = classified.fault
    decision = decide(
        fault.error_class,
        lease.faults.plus(fault.error_class, alone=fault.alone),
        fault.message,
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
        fault=msgspec.structs.replace(fault, message=decision.message),
    )
