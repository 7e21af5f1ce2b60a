"""When the failures of a page happened, as small charts over one span of time."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from swather.model.history_details import GroupKey, GroupTimes
from swather.runs.group_times import in_words


class Span(NamedTuple):
    """`points` of `step` seconds each."""

    name: str
    step: float
    points: int


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


def span_for(times: GroupTimes, groups: Iterable[GroupKey]) -> Span:
    """The shortest that has everything that is known of the groups, so that all on a page can be
    compared.
    """
    known = [at for group in groups for at in times.times.get(group, ())]
    for span in _SPANS:
        first = times.until // span.step * span.step - (span.points - 1) * span.step
        if all(at >= first for at in known):
            return span
    return _SPANS[-1]


def spark_of(times: GroupTimes, groups: Sequence[GroupKey], span: Span) -> Spark | None:
    """None if nothing is known of that span."""
    counts = times.between(groups, span.step, span.points)
    total = sum(counts.values())
    if not total:
        return None
    words = in_words(counts, span.name, is_about=times.left_out > 0)
    return Spark(list(counts.values()), words, total, span.name)
