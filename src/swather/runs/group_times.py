"""When errors of a group happened, as programs read it and as people do."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from swather.model.history_details import GroupKey, GroupTimes

DAY: Final = 86_400.0
_QUARTER: Final = 900.0


def data_of(times: GroupTimes, group: GroupKey) -> list[dict[str, Any]]:
    """Each quarter of an hour of the last day in which it happened."""
    quarters = times.between([group], _QUARTER, round(DAY / _QUARTER) + 1)
    return [
        {"began_at": _moment(at), "seconds": _QUARTER, "count": found}
        for at, found in quarters.items()
        if found
    ]


def in_words(counts: Mapping[float, int], span: str, *, is_about: bool = False) -> str:
    """'3 in the last hour, most at 12:05 UTC'; `counts` by the beginnings of parts of the span."""
    total = sum(counts.values())
    said = f"{'about ' if is_about and total else ''}{total:,} in the last {span}"
    if total < 2:
        return said if not total else f"{said}, at {_clock(_peak(counts))}"
    return f"{said}, most at {_clock(_peak(counts))}"


def _peak(counts: Mapping[float, int]) -> float:
    """The last of the highest."""
    return max(counts, key=lambda at: (counts[at], at))


def _clock(at: float) -> str:
    return f"{_moment(at):%H:%M} UTC"


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
