"""Which worker number serves which partitions: a plan, its check, and a plan by what waits."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from heapq import heapify, heapreplace
from typing import Final

import msgspec

from swather.errors import InputError

# What the setting says for a plan that is made by what waits.
BALANCED: Final = "balanced"


class Plan(msgspec.Struct, frozen=True):
    """The partitions of each worker number, as they were written: also with mistakes."""

    workers: Mapping[int, tuple[str, ...]]

    @property
    def numbers(self) -> dict[str, int]:
        """The worker number of each partition."""
        return {name: number for number, names in self.workers.items() for name in names}

    def of(self, number: int) -> tuple[str, ...]:
        return self.workers.get(number, ())


class Balanced(msgspec.Struct, frozen=True):
    """A plan is to be made for so many workers, by what waits in each partition."""

    workers: int


class PlanFault(msgspec.Struct, frozen=True):
    """What is wrong with a plan: `kind` for programs, `text` for people."""

    kind: str
    text: str


def check(plan: Plan, known: Collection[str] | None = None) -> list[PlanFault]:
    """What is wrong with a plan. Whether partitions are missing or unknown shows only where it is
    `known` which there are.
    """
    found = [*_empty(plan), *_duplicates(plan)]
    if known is not None:
        found += [*_missing(plan, known), *_unknown(plan, known)]
    return found


def balanced(
    pending: Mapping[str, int], workers: int, kept: Mapping[str, int] | None = None
) -> Plan:
    """Deal partitions out to `workers` workers so that each has about as much to do: the largest
    first, each to the worker that has least, and among those to the one with the fewest partitions.
    Partitions in `kept` stay where they are.
    """
    if workers < 1:
        raise InputError(f"a plan needs at least 1 worker, got {workers!r}")
    dealt: dict[int, list[str]] = {number: [] for number in range(workers)}
    load: dict[int, int] = defaultdict(int)
    for name, number in (kept or {}).items():
        dealt.setdefault(number, []).append(name)
        load[number] += pending.get(name, 0)
    hands = [(load[number], len(dealt[number]), number) for number in range(workers)]
    heapify(hands)
    left = pending.keys() - (kept or {}).keys()
    for name in sorted(left, key=lambda name: (-pending[name], name)):
        waiting, names, number = hands[0]
        dealt[number].append(name)
        heapreplace(hands, (waiting + pending[name], names + 1, number))
    return Plan({number: tuple(sorted(names)) for number, names in sorted(dealt.items())})


def _empty(plan: Plan) -> Iterator[PlanFault]:
    if not plan.workers:
        yield PlanFault("empty", "it names no worker")
    for number, names in sorted(plan.workers.items()):
        if not names:
            yield PlanFault("empty", f"worker {number} has no partitions")


def _duplicates(plan: Plan) -> Iterator[PlanFault]:
    given: dict[str, list[int]] = defaultdict(list)
    for number, names in sorted(plan.workers.items()):
        for name in names:
            given[name].append(number)
    for name, numbers in sorted(given.items()):
        if len(numbers) > len(set(numbers)):
            yield PlanFault("duplicate", f"{name} is listed twice for worker {numbers[0]}")
        if len(set(numbers)) > 1:
            listed = " and ".join(map(str, dict.fromkeys(numbers)))
            yield PlanFault("duplicate", f"{name} is given to workers {listed}")


def _missing(plan: Plan, known: Collection[str]) -> Iterator[PlanFault]:
    for name in sorted(set(known) - plan.numbers.keys()):
        yield PlanFault("missing", f"{name} is given to no worker")


def _unknown(plan: Plan, known: Collection[str]) -> Iterator[PlanFault]:
    folded = {name.casefold(): name for name in known}
    for name in sorted(plan.numbers.keys() - set(known)):
        near = get_close_matches(name.casefold(), folded, n=1)
        hint = f"; did you mean {folded[near[0]]}?" if near else ""
        yield PlanFault("unknown", f"there is no partition {name}{hint}")
