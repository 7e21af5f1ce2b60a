"""What may pass a lane or a scraper's limits during one claim, as both databases count it."""

from swather.model.pacing import Limits, Pace, allowance, held_by, opens_at, started


class BaseGate:
    """One row with limits: how many more may pass it, how many did."""

    def __init__(self, lane_id: int, limits: Limits, pace: Pace, now: float, wanted: int) -> None:
        self.lane_id = lane_id
        self.limits = limits
        self.pace = pace
        self.now = now
        self.left = allowance(limits, pace, now, wanted)
        self.passed = 0

    def after(self) -> Pace:
        return Pace(
            started(self.limits, self.pace, self.now, self.passed),
            self.pace.paused,
            self.pace.cool_until,
            self.pace.in_flight + self.passed,
        )

    def opens_at(self) -> float:
        return opens_at(self.limits, self.after(), self.now)

    def asleep(self) -> str:
        """Why nothing more may pass now."""
        after = self.after()
        if after.paused:
            return "paused"
        if self.limits.in_flight is not None and after.in_flight >= self.limits.in_flight:
            return "full"
        return "paced"

    def held_by(self) -> str:
        return held_by(self.limits, self.after(), self.now)
