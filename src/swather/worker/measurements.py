"""What a worker measures of its runs, until it is written down: answers, latency, errors."""

from typing import Final

from swather.model.history import Measured, bucket_of
from swather.model.history_bounds import (
    MOST_GROUPS,
    MOST_LANES,
    bounded_groups,
    bounded_lanes,
)
from swather.model.history_points import merged
from swather.model.outcome import Completed, Failed, Outcome, Retry, Verdict
from swather.model.retry import ErrorClass

# So many times more than are told may be counted, until the rare ones are left out.
_ROOM: Final = 8
_TOO_MANY: Final = 429


class _OfRun:
    """Counted since the last time it was taken."""

    __slots__ = (
        "_groups",
        "_groups_left_out",
        "_lanes",
        "_lanes_left_out",
        "classes",
        "latency",
        "statuses",
    )

    def __init__(self) -> None:
        self.statuses: dict[int, int] = {}
        self.latency: dict[int, int] = {}
        self.classes: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._groups_left_out = 0
        self._lanes: dict[str, tuple[int, int]] = {}
        self._lanes_left_out = 0

    def lane_answered(self, lane: str, status: int) -> None:
        known = self._lanes.get(lane)
        if known is not None:
            self._lanes[lane] = known[0] + 1, known[1] + (status == _TOO_MANY)
            return
        self._lanes[lane] = 1, int(status == _TOO_MANY)
        if len(self._lanes) > _ROOM * MOST_LANES:
            self._lanes, self._lanes_left_out = bounded_lanes(self._lanes, self._lanes_left_out)

    def failed(self, group: str) -> None:
        self._groups[group] = self._groups.get(group, 0) + 1
        if len(self._groups) > _ROOM * MOST_GROUPS:
            self._groups, self._groups_left_out = bounded_groups(
                self._groups, self._groups_left_out
            )

    def as_measured(self) -> Measured:
        return Measured(
            statuses={str(status): n for status, n in self.statuses.items()},
            latency=self.latency,
            classes=self.classes,
            groups=self._groups,
            groups_left_out=self._groups_left_out,
            lanes=self._lanes,
            lanes_left_out=self._lanes_left_out,
        )


class Measurements:
    """Belongs to the loop's thread. Answers are those to scrapers' own requests, redirects among
    them, without robots.txt and what a page in a browser loads.
    """

    def __init__(self) -> None:
        self._runs: dict[str, _OfRun] = {}
        self._returned: dict[str, Measured] = {}
        # The runs of attempts that have ended and are not committed.
        self._uncommitted: dict[tuple[int, int], str] = {}

    def answered(self, run: str, lane: str, status: int) -> None:
        """`lane`: what its request is paced by, '' if nothing does."""
        mine = self._of(run)
        mine.statuses[status] = mine.statuses.get(status, 0) + 1
        if lane:
            mine.lane_answered(lane, status)

    def ended(self, run: str, seconds: float, outcome: Outcome | None) -> None:
        """An attempt that was given back, or whose lease was lost, has come to nothing."""
        if not isinstance(outcome, (Completed, Retry, Failed)):
            return
        self._uncommitted[outcome.fence] = run
        mine, bucket = self._of(run), bucket_of(seconds)
        mine.latency[bucket] = mine.latency.get(bucket, 0) + 1
        if not isinstance(outcome, Completed):
            error_class = str(outcome.fault.error_class)
            mine.classes[error_class] = mine.classes.get(error_class, 0) + 1

    def committed(self, outcome: Outcome, verdict: Verdict) -> None:
        """Groups are counted here, as the store counts them: not what came too late, and what was
        refused as the failure that it has become. Another time is no error.
        """
        run = self._uncommitted.pop(outcome.fence, None)
        if run is None or verdict is not Verdict.ACCEPTED:
            return
        if not isinstance(outcome, (Retry, Failed)):
            return
        if outcome.fault.error_class is not ErrorClass.LATER:
            self._of(run).failed(outcome.fault.fingerprint)

    def take(self) -> dict[str, Measured]:
        """All there is, by run."""
        taken, self._returned = self._returned, {}
        runs, self._runs = self._runs, {}
        for name, mine in runs.items():
            known = [taken[name]] if name in taken else []
            taken[name] = merged([*known, mine.as_measured()])
        return taken

    def put_back(self, run: str, measured: Measured) -> None:
        """It could not be written down; the next time, perhaps."""
        known = [self._returned[run]] if run in self._returned else []
        self._returned[run] = merged([*known, measured])

    def _of(self, run: str) -> _OfRun:
        mine = self._runs.get(run)
        if mine is None:
            mine = self._runs[run] = _OfRun()
        return mine
