"""The autoscaler: remembers what was useful lately, so that a fleet does not shrink too soon."""

from collections import deque

from swather.model.scaling import Demand, ScalingPolicy, Wanted, useful, wanted


class Autoscaler:
    """Asked every few seconds how many workers a fleet should have. It has neither a clock nor a
    database: who asks says what time it is, what waits, and how many workers there are.
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque()

    def look(
        self,
        demand: Demand,
        policy: ScalingPolicy,
        *,
        current: int,
        now: float,
        free_mb: int | None = None,
    ) -> Wanted:
        """`now` is a reading of any clock that only goes forward. The first time, what runs counts
        as useful: it is not known for how long it has not been.
        """
        if not self._recent:
            self._recent.append((now, current))
        self._recent.append((now, useful(demand, policy).number))
        while self._recent[0][0] < now - policy.scale_down_seconds:
            self._recent.popleft()
        return wanted(
            demand,
            policy,
            current=current,
            free_mb=free_mb,
            recent=[number for _, number in self._recent],
        )
