"""When errors of a group happened, and how lanes have answered lately."""

from collections.abc import Iterable

import msgspec

# Run and fingerprint of a group.
GroupKey = tuple[str, str]


class GroupTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How often errors of groups happened until `until`, in seconds since 1970.

    `times` has the beginnings of the minutes in which workers told of them, and how often it was.
    `left_out`: errors of rare groups that were not told apart.
    """

    until: float
    times: dict[GroupKey, dict[float, int]]
    left_out: int = 0

    def between(self, groups: Iterable[GroupKey], step: float, points: int) -> dict[float, int]:
        """How often any of the groups happened in each of the last spans of `step` seconds, by the
        beginning of the span. Spans begin when `step` divides the time; the last is not over.
        """
        last = self.until // step * step
        counts = {last - number * step: 0 for number in range(points - 1, -1, -1)}
        for group in groups:
            for at, count in self.times.get(group, {}).items():
                # A clock that was set back has left something in the future.
                start = min(at // step * step, last)
                if start in counts:
                    counts[start] += count
        return counts


class LaneAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """How often a lane has answered, and how often of these with 429. `is_about`: some answers of
    lanes with few were not told apart, and may have been of this one.
    """

    answers: int
    too_many: int
    is_about: bool = False

    @property
    def share(self) -> float:
        return self.too_many / self.answers if self.answers else 0.0
