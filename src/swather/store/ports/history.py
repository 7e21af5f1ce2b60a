"""The verbs of history: how runs have fared over time."""

from collections.abc import Collection
from typing import Final, Protocol

from swather.model.history import HistoryPoint, Measured
from swather.model.history_details import GroupKey, GroupTimes, LaneAnswers

SAMPLE_SECONDS: Final = 5.0
# For so long every sample is kept, then one per minute until it is too old.
FINE_SECONDS: Final = 3_600.0
HISTORY_DAYS: Final = 30.0


class History(Protocol):
    def sample(self) -> bool:
        """Write down the counts of each open run, and of each that has ended since the last sample;
        False if somebody has done that in the last five seconds. Any process may call it, as often
        as it likes.
        """
        ...

    def note(self, run: str, measured: Measured) -> None:
        """Add what a worker has measured since it last told; nothing for a run that is gone."""
        ...

    def of_run(self, run: str, *, seconds: float, points: int = 120) -> list[HistoryPoint]:
        """The last `seconds` of a run as evenly spaced points, the oldest first: until now or its
        end, and not from before its beginning. The sums over its whole life are its counts, unless
        these have shrunk: tasks that are tried again have ended twice.
        """
        ...

    def overall(self, *, seconds: float, points: int = 120) -> list[HistoryPoint]:
        """The same of all runs together, until now."""
        ...

    def group_times(self, groups: Collection[GroupKey], *, seconds: float) -> GroupTimes:
        """When workers told of errors of these groups in the last `seconds`: a day at most. What is
        read does not depend on how many runs there are.
        """
        ...

    def lane_answers(self, *, seconds: float) -> dict[str, LaneAnswers]:
        """How lanes have answered in the last `seconds`, in all runs: a day at most."""
        ...

    def thin(self) -> bool:
        """Drop a batch of samples that are kept for no longer, and merge old measurements; whether
        there may be more to do.
        """
        ...
