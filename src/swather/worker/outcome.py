"""From what an attempt came to, to the outcome that is committed."""

from swather.model.lease import Lease
from swather.model.outcome import Completed, Failed, Fault, Outcome, Released
from swather.model.retry import ErrorClass
from swather.scraping.classify import Classified
from swather.scraping.context import Collected


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
