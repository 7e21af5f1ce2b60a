"""How many targets of each run have ended lately, from totals that are looked at now and then.

Whoever asks `swather status` has no samples of its own, so a worker writes these figures with each
beat. They cost the work itself one addition per target.
"""

from collections import deque
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from swather.model.standstill import standstill_seconds

WINDOW_SECONDS: Final = 60.0
# A window with fewer ends says little: it grows until it has so many, or is this long.
ENOUGH_ENDED: Final = 20
LONGEST_SECONDS: Final = 600.0
# Fewer do not tell a pause from a slow pace.
KNOWN_ENDED: Final = 5
# How far samples are apart, so that there are few of them.
STEP_SECONDS: Final = 2.0
# After a limit has changed, what was measured before counts only until so many have ended in so
# many seconds since.
SETTLED: Final = ((1.5, 25), (3.0, 10))


class Sample(NamedTuple):
    at: float
    total: int


class Recent:
    """For one thread. All times are those of one monotonic clock, which shows `now`."""

    def __init__(self, now: float) -> None:
        self._runs: dict[str, _RecentOfRun] = {}
        self._looked_at = now
        self._totals: Mapping[str, int] = {}

    def look(
        self,
        totals: Mapping[str, int],
        at_work_on: Collection[str],
        now: float,
        average_seconds: float,
    ) -> None:
        """Note how many have ended by now; `at_work_on` are runs with a target that executes."""
        for run in totals.keys() | at_work_on:
            before, total = self._totals.get(run, 0), totals.get(run, 0)
            if run not in self._runs and (run in at_work_on or total != before):
                self._runs[run] = _RecentOfRun(self._looked_at, before)
        for run, recent in list(self._runs.items()):
            recent.look(totals.get(run, 0), now, average_seconds)
            if run not in at_work_on and now - recent.moved_at > LONGEST_SECONDS:
                del self._runs[run]
        self._looked_at, self._totals = now, totals

    def limits_changed(self, now: float) -> None:
        for recent in self._runs.values():
            recent.limits_changed(now)

    def as_dict(self, now: float) -> dict[str, dict[str, Any]]:
        return {run: recent.as_dict(now) for run, recent in self._runs.items()}


class _RecentOfRun:
    def __init__(self, now: float, total: int) -> None:
        self.moved_at = now
        self._looked_at = now
        self._average_seconds = 0.0
        self._samples = deque([Sample(now, total)])
        self._changed: Sample | None = None

    def look(self, total: int, now: float, average_seconds: float) -> None:
        before = self._samples[-1].total
        if total < before:
            self._begin(now, total)
        elif total > before:
            if before - self._samples[0].total >= KNOWN_ENDED and self._is_still(self._looked_at):
                # It was held up: what counts is how it moves now.
                self._begin(max(self._looked_at - average_seconds, self.moved_at), before)
            self.moved_at = now
        self._add(Sample(now, total))
        self._looked_at, self._average_seconds = now, average_seconds

    def limits_changed(self, now: float) -> None:
        self._changed = Sample(now, self._samples[-1].total)

    def as_dict(self, now: float) -> dict[str, Any]:
        since, last = self._since(now), self._samples[-1]
        # Of what stands still, the rate it had before.
        ended = last.total - since.total
        until = self.moved_at if ended and self._is_still(now) else last.at
        return {
            "ended": ended,
            "seconds": round(max(until - since.at, 0.0), 3),
            "quiet_seconds": round(now - self.moved_at, 3),
        }

    def _since(self, now: float) -> Sample:
        """Where the window begins."""
        first, changed, total = self._samples[0], self._changed, self._samples[-1].total
        if changed is None or changed.at <= first.at:
            return first
        seconds, ended = now - changed.at, total - changed.total
        is_settled = any(seconds >= long and ended >= many for long, many in SETTLED)
        return changed if is_settled else first

    def _is_still(self, now: float) -> bool:
        first, last = self._samples[0], self._samples[-1]
        moving = self.moved_at - first.at
        rate = (last.total - first.total) / moving if moving > 0 else 0.0
        return now - self.moved_at >= standstill_seconds(self._average_seconds, rate)

    def _begin(self, at: float, total: int) -> None:
        self._samples = deque([Sample(at, total)])
        self._changed = None

    def _add(self, sample: Sample) -> None:
        samples = self._samples
        if len(samples) > 1 and sample.at - samples[-2].at < STEP_SECONDS:
            samples.pop()
        samples.append(sample)
        while len(samples) > 2 and samples[1].at <= sample.at - self._window(samples):
            samples.popleft()

    @staticmethod
    def _window(samples: "deque[Sample]") -> float:
        is_enough = samples[-1].total - samples[1].total >= ENOUGH_ENDED
        return WINDOW_SECONDS if is_enough else LONGEST_SECONDS
