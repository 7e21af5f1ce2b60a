"""What follows from the way an attempt ended."""

from random import Random

from swather.model.outcome import Outcome
from swather.scraping.classify import Classified, classify
from swather.scraping.context import Collected
from swather.scraping.fault_outcome import fault_outcome
from swather.scraping.source_location import source_location, traceback_of
from swather.worker.attempt import Attempt, Cut, Ending, is_suspect
from swather.worker.outcome import completed, released, timed_out
from swather.worker.slots import Abandoned


def outcome_of(
    attempt: Attempt, ending: Ending, random: Random
) -> tuple[Outcome | None, Classified | None]:
    """What is to be committed (None when the lease is gone and there is nothing to say), and what
    went wrong, if the site or the scraper did.
    """
    if attempt.cut is not Cut.LOST and attempt.postponed is not None:
        return released(attempt.lease, attempt.postponed), None
    if isinstance(ending, Collected) and (attempt.cut is None or attempt.cut is Cut.STOP):
        return completed(attempt.lease, ending), None
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
    return fault_outcome(attempt.lease, ending, job.budgets, job.backoff, random), ending


def _timeout_of(attempt: Attempt, ending: Ending) -> Classified:
    """A cancelled attempt tells by its traceback where it hung."""
    if isinstance(ending, BaseException) and not isinstance(ending, Abandoned):
        return timed_out(
            attempt.timeout, traceback=traceback_of(ending), where=source_location(ending)
        )
    return timed_out(attempt.timeout, traceback=attempt.stack, where="")
