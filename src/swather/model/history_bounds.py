"""How many error groups and lanes a measurement names, and which."""

from collections.abc import Mapping
from typing import Final, NamedTuple

MOST_GROUPS: Final = 50
MOST_LANES: Final = 100

# How often a lane has answered, and how often of these with 429.
Answered = tuple[int, int]


class Groups(NamedTuple):
    """`left_out`: errors of groups that are not named."""

    named: dict[str, int]
    left_out: int


class Lanes(NamedTuple):
    """`left_out`: answers of lanes that are not named."""

    named: dict[str, Answered]
    left_out: int


def bounded_groups(groups: Mapping[str, int], left_out: int = 0) -> Groups:
    """The most frequent ones. Which of two that are equally frequent is kept is always the same."""
    if len(groups) <= MOST_GROUPS:
        return Groups(dict(groups), left_out)
    named = dict(sorted(groups.items(), key=lambda each: (-each[1], each[0]))[:MOST_GROUPS])
    return Groups(named, left_out + sum(groups.values()) - sum(named.values()))


def bounded_lanes(lanes: Mapping[str, Answered], left_out: int = 0) -> Lanes:
    """Those with most 429, then those with most answers."""
    if len(lanes) <= MOST_LANES:
        return Lanes(dict(lanes), left_out)
    ordered = sorted(lanes.items(), key=lambda each: (-each[1][1], -each[1][0], each[0]))
    named = dict(ordered[:MOST_LANES])
    rest = sum(answers for _, (answers, _) in ordered[MOST_LANES:])
    return Lanes(named, left_out + rest)
