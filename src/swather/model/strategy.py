"""The order in which a worker takes what is ready."""

from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import assert_never


class Strategy(StrEnum):
    """FIFO oldest first; LIFO newest first; PRIORITY highest first, ties oldest first;
    WEIGHTED_RANDOM draws a priority with chances in proportion to it, then the oldest in it.
    """

    FIFO = "fifo"
    LIFO = "lifo"
    PRIORITY = "priority"
    WEIGHTED_RANDOM = "weighted_random"


def draw(priorities: Sequence[int], count: int, random: Random) -> dict[int, int]:
    """How many of `count` tasks to take from each priority: `count` weighted draws."""
    quotas = dict.fromkeys(priorities, 0)
    if not quotas:
        return quotas
    for priority in random.choices(priorities, weights=priorities, k=count):
        quotas[priority] += 1
    return quotas


def quotas(
    strategy: Strategy, priorities: Sequence[int], count: int, random: Random
) -> list[tuple[int, int]]:
    """(priority, how many at most) in the order in which to look at the priorities.

    FIFO and LIFO look at all of them and merge by age; the others take them one after another.
    """
    highest_first = sorted(priorities, reverse=True)
    match strategy:
        case Strategy.FIFO | Strategy.LIFO | Strategy.PRIORITY:
            return [(priority, count) for priority in highest_first]
        case Strategy.WEIGHTED_RANDOM:
            drawn = draw(highest_first, count, random)
            return [(priority, drawn[priority]) for priority in highest_first if drawn[priority]]
        case _:
            assert_never(strategy)


def priorities_in(mask: int) -> list[int]:
    """The priorities whose bit is set in a run's mask."""
    return [priority for priority in range(mask.bit_length()) if mask >> priority & 1]
