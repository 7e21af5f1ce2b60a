"""A line in the worker's log for each target, once what came of it is committed."""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from swather.masking import masked
from swather.model.outcome import Completed, Failed, Outcome, Retry, Verdict
from swather.visible import visible_line
from swather.worker.attempt import Attempt
from swather.worker.report import Tally, shown

if TYPE_CHECKING:
    from swather.store.ports import Fence

_log = logging.getLogger(__name__)


class _Ended(NamedTuple):
    target: str
    seconds: float
    lane: str
    partition: str


class TargetLog(Tally):
    """Counts, and logs what it counts."""

    def __init__(self) -> None:
        super().__init__()
        self._ended: dict[Fence, _Ended] = {}

    def ended(
        self, attempt: Attempt, seconds: float, outcome: Outcome | None, requests: int
    ) -> None:
        super().ended(attempt, seconds, outcome, requests)
        if isinstance(outcome, (Completed, Failed, Retry)):
            lease = attempt.lease
            self._ended[outcome.fence] = _Ended(
                shown(lease.target), seconds, lease.lane, lease.partition
            )

    def committed(self, outcome: Outcome, verdict: Verdict) -> None:
        super().committed(outcome, verdict)
        ended = self._ended.pop(outcome.fence, None)
        if ended is None or verdict is not Verdict.ACCEPTED:
            return
        text = f"{_STATES[type(outcome)]} {ended.target} in {ended.seconds:.2f} s: " + ", ".join(
            _facts(outcome, ended)
        )
        _log.info("%s", visible_line(text), extra={"task": outcome.task_id})


_STATES: Final[dict[type[Outcome], str]] = {
    Completed: "completed",
    Failed: "failed",
    Retry: "to be retried",
}


def _facts(outcome: Outcome, ended: _Ended) -> Iterator[str]:
    if isinstance(outcome, Completed):
        number = len(outcome.items)
        after = " after its last checkpoint" if outcome.part else ""
        yield f"{number:,} item{'' if number == 1 else 's'}{after}"
    elif isinstance(outcome, Failed):
        yield f"{outcome.reason}: {masked(outcome.message)}"
    elif isinstance(outcome, Retry):
        yield f"{outcome.fault.error_class}: {masked(outcome.fault.message)}"
        yield f"due in {outcome.after_seconds:.1f} s"
    if ended.partition:
        yield f"partition {ended.partition}"
    if ended.lane:
        yield f"lane {ended.lane}"
