"""What a worker measures of its runs, until it is written down: answers, latency, errors."""

from swather.model.history import Measured, bucket_of
from swather.model.history_points import merged
from swather.model.outcome import Completed, Failed, Outcome, Retry


class _OfRun:
    """Counted since the last time it was taken."""

    __slots__ = ("classes", "latency", "statuses")

    def __init__(self) -> None:
        self.statuses: dict[int, int] = {}
        self.latency: dict[int, int] = {}
        self.classes: dict[str, int] = {}

    def as_measured(self) -> Measured:
        statuses = {str(status): n for status, n in self.statuses.items()}
        return Measured(statuses=statuses, latency=self.latency, classes=self.classes)


class Measurements:
    """Belongs to the loop's thread. Answers are those to scrapers' own requests, redirects among
    them, without robots.txt and what a page in a browser loads.
    """

    def __init__(self) -> None:
        self._runs: dict[str, _OfRun] = {}
        self._returned: dict[str, Measured] = {}

    def answered(self, run: str, status: int) -> None:
        statuses = self._of(run).statuses
        statuses[status] = statuses.get(status, 0) + 1

    def ended(self, run: str, seconds: float, outcome: Outcome | None) -> None:
        """An attempt that was given back, or whose lease was lost, has come to nothing."""
        if not isinstance(outcome, (Completed, Retry, Failed)):
            return
        mine, bucket = self._of(run), bucket_of(seconds)
        mine.latency[bucket] = mine.latency.get(bucket, 0) + 1
        if not isinstance(outcome, Completed):
            error_class = str(outcome.fault.error_class)
            mine.classes[error_class] = mine.classes.get(error_class, 0) + 1

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
