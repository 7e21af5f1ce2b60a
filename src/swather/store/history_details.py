"""What the two stores share about error groups and lanes: they are told in the rows of all runs
together, so that what is read does not grow with the number of runs.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from swather.errors import InputError
from swather.model.history import Measured
from swather.model.history_details import GroupKey, GroupTimes, LaneAnswers
from swather.store.history_rows import ALL_RUNS

# Later, minutes are merged into longer spans.
MAX_SECONDS: Final = 86_400.0


class _Groups(msgspec.Struct, frozen=True):
    """The part of a measurement that is about groups; the rest is not decoded."""

    groups: dict[str, int] = {}
    groups_left_out: int = 0


class _Lanes(msgspec.Struct, frozen=True):
    lanes: dict[str, tuple[int, int]] = {}
    lanes_left_out: int = 0


def times_in(
    rows: Iterable[tuple[float, float, str]],
    groups: Iterable[GroupKey],
    runs: Mapping[str, int],
    until: float,
) -> GroupTimes:
    """`runs`: their numbers by name, of those that are still there."""
    keys = {_key(runs[run], group): (run, group) for run, group in groups if run in runs}
    times: dict[GroupKey, dict[float, int]] = {}
    left_out = 0
    for at, _, data in rows:
        part = _groups.decode(data)
        left_out += part.groups_left_out
        for key in keys.keys() & part.groups.keys():
            counts = times.setdefault(keys[key], {})
            counts[at] = counts.get(at, 0) + part.groups[key]
    return GroupTimes(until=until, times=times, left_out=left_out)


def rows_of(run_id: int, measured: Measured) -> dict[int, Measured]:
    """What becomes part of the row of all runs, and of that of the run. Two runs may fail alike:
    the row of all runs tells their groups apart.
    """
    own = msgspec.structs.replace(
        measured, groups={}, groups_left_out=0, lanes={}, lanes_left_out=0
    )
    groups = {_key(run_id, group): n for group, n in measured.groups.items()}
    return {ALL_RUNS: msgspec.structs.replace(measured, groups=groups), run_id: own}


def lanes_in(rows: Iterable[tuple[float, float, str]]) -> dict[str, LaneAnswers]:
    totals: dict[str, tuple[int, int]] = {}
    left_out = 0
    for _, _, data in rows:
        part = _lanes.decode(data)
        left_out += part.lanes_left_out
        for lane, (answers, too_many) in part.lanes.items():
            known = totals.get(lane, (0, 0))
            totals[lane] = known[0] + answers, known[1] + too_many
    return {
        lane: LaneAnswers(answers=answers, too_many=too_many, is_about=left_out > 0)
        for lane, (answers, too_many) in totals.items()
    }


def check_seconds_back(seconds: float) -> float:
    if not 0 < seconds <= MAX_SECONDS:
        raise InputError(f"seconds must be from 0 to {MAX_SECONDS:,.0f}, got {seconds!r}")
    return seconds


def _key(run_id: int, group: str) -> str:
    return f"{run_id}:{group}"


_groups = msgspec.json.Decoder(_Groups)
_lanes = msgspec.json.Decoder(_Lanes)
