"""When the failures of a page happened, as small charts over one span of time."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from swather.model.history_details import GroupKey, GroupTimes
from swather.model.results import ErrorGroup
from swather.runs.group_times import in_words


class Span(NamedTuple):
    """`points` of `step` seconds each."""

    name: str
    step: float
    points: int

    def start(self, until: float) -> float:
        return until // self.step * self.step - (self.points - 1) * self.step


class Spark(NamedTuple):
    """How often it was in each point, and the same in words."""

    counts: list[int]
    words: str
    total: int
    span: str


# From the shortest on. There is one point more than fits: the last has only begun.
_SPANS: Final = (
    Span("hour", 120.0, 31),
    Span("6 hours", 600.0, 37),
    Span("24 hours", 1_800.0, 49),
)


def keys_of(groups: Iterable[ErrorGroup]) -> list[GroupKey]:
    return [(group.run, group.fingerprint) for group in groups]


def span_for(times: GroupTimes, groups: Iterable[GroupKey]) -> Span:
    """The shortest that has everything that is known of the groups, so that all on a page can be
    compared.
    """
    known = [at for group in groups for at in times.times.get(group, ())]
    for span in _SPANS:
        if all(at >= span.start(times.until) for at in known):
            return span
    return _SPANS[-1]


def spark_of(times: GroupTimes, groups: Sequence[ErrorGroup], span: Span) -> Spark | None:
    """None if nothing is known of that span. What a worker has not told yet, or never did because
    it was killed, is missing: where the groups themselves say so, it is "about".
    """
    counts = times.between(keys_of(groups), span.step, span.points)
    total = sum(counts.values())
    if not total:
        return None
    start = span.start(times.until)
    is_all_in = all(group.first_at.timestamp() >= start for group in groups)
    is_missing = is_all_in and total != sum(group.count for group in groups)
    words = in_words(counts, span.name, is_about=times.left_out > 0 or is_missing)
    return Spark(list(counts.values()), words, total, span.name)
