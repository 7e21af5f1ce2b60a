"""How much a claim asks of which heads. No twin: SQLite asks head by head (taking.py)."""

from collections.abc import Iterator, Sequence
from enum import Enum
from math import ceil
from random import Random
from typing import Final, NamedTuple

from swather.model.lease import Strategy, draw
from swather.store.postgres.marks import TOP, Marks
from swather.store.postgres.outlook import Head, Scope
from swather.store.postgres.statements import queries

Portion = list[tuple[Scope, list[Head]]]

SPARE_HEADS: Final = 2
OF_ALL: Final = 0


def _joined(*parts: str) -> str:
    """One statement without its layout: psycopg parses long statements every time."""
    lines = "".join(parts).splitlines()
    return " ".join(line.strip() for line in lines if not line.startswith("--"))


class Pick(Enum):
    """How tasks are picked from a head; the value is that part of the claim statement."""

    OLDEST = queries.pick_oldest
    NEWEST = queries.pick_newest
    OLDEST_OF_ALL = queries.pick_oldest_of_all
    NEWEST_OF_ALL = queries.pick_newest_of_all

    @property
    def is_newest(self) -> bool:
        return self in (Pick.NEWEST, Pick.NEWEST_OF_ALL)

    @property
    def is_of_all(self) -> bool:
        return self in (Pick.OLDEST_OF_ALL, Pick.NEWEST_OF_ALL)


CLAIM: Final = {
    pick: _joined(queries.claim_heads, pick.value, queries.claim_take, queries.claimed)
    for pick in Pick
}
CLAIM_UNPACED: Final = {
    pick: _joined(queries.claim_unpaced_heads, pick.value, queries.claim_take, queries.claimed)
    for pick in Pick
}
CLAIM_COUNTED: Final = {
    pick: _joined(
        queries.claim_counted_heads, pick.value, queries.claim_take, queries.claimed_counted
    )
    for pick in Pick
}


class Offer(NamedTuple):
    """Up to `quota` tasks of one head and priority, with ids between the two bounds."""

    scope: Scope
    head: Head
    priority: int
    above: int
    below: int
    quota: int

    @property
    def is_thorough(self) -> bool:
        """Whether the whole head is scanned, regardless of marks."""
        return self.above == 0 and self.below == TOP


class Group:
    """Scopes whose heads can be asked in one statement, in turn."""

    def __init__(self, pick: Pick, scopes: list[Scope]) -> None:
        self.pick = pick
        self.scopes = scopes

    @property
    def is_closed(self) -> bool:
        """Whether the scraper's gate was found closed."""
        return self.scopes[0].opens_seconds is not None

    @property
    def scraper_lane_id(self) -> int | None:
        first = self.scopes[0]
        return first.scraper_lane_id if first.scraper_limited else None


def pick_for(scope: Scope, *, again: bool) -> Pick:
    """Draws may hit empty priorities, so the second look takes whatever there is."""
    several = len(scope.priorities) > 1
    match scope.strategy:
        case Strategy.LIFO:
            return Pick.NEWEST_OF_ALL if several else Pick.NEWEST
        case Strategy.PRIORITY:
            return Pick.OLDEST
        case Strategy.WEIGHTED_RANDOM if not again:
            return Pick.OLDEST
        case _:
            return Pick.OLDEST_OF_ALL if several else Pick.OLDEST


def groups_of(scopes: Sequence[Scope], *, again: bool) -> Iterator[Group]:
    """Neighbours with the same pick together; a limited scraper's scope alone."""
    group: Group | None = None
    for scope in scopes:
        pick = pick_for(scope, again=again)
        if group and (group.pick is not pick or group.scraper_lane_id or scope.scraper_limited):
            yield group
            group = None
        if group is None:
            group = Group(pick, [scope])
        else:
            group.scopes.append(scope)
    if group is not None:
        yield group


def portions_of(group: Group, wanted: int) -> Iterator[Portion]:
    """The heads of a group in portions, each with slightly more than needed."""
    portion: Portion = []
    expected = spare = 0
    for scope in group.scopes:
        heads = list(scope.heads)
        if scope.strategy is Strategy.PRIORITY:
            heads.sort(key=lambda head: -head.best)
        share = ceil(wanted / max(1, min(len(heads), wanted)))
        chosen: list[Head] = []
        for head in heads:
            if expected >= wanted:
                spare += 1
            if spare > SPARE_HEADS:
                yield [*portion, (scope, chosen)] if chosen else portion
                portion, chosen, expected, spare = [], [], 0, 0
            chosen.append(head)
            expected += share
        if chosen:
            portion.append((scope, chosen))
    if portion:
        yield portion


class Offers:
    """Makes offers from portions, using the current marks."""

    def __init__(self, oldest: Marks, newest: Marks, random: Random) -> None:
        self._oldest = oldest
        self._newest = newest
        self._random = random

    def make(self, pick: Pick, portion: Portion, wanted: int, now: float) -> list[Offer]:
        offers: list[Offer] = []
        for scope, heads in portion:
            share = ceil(wanted / min(len(heads), wanted))
            if pick.is_of_all:
                for head in heads:
                    offers += self._bounded(pick, scope, head, OF_ALL, share, now)
            elif len(scope.priorities) == 1:
                for head in heads:
                    offers += self._bounded(pick, scope, head, scope.priorities[0], share, now)
            else:
                offers += self._by_class(pick, scope, heads, wanted, now)
        return offers

    def _by_class(
        self, pick: Pick, scope: Scope, heads: list[Head], wanted: int, now: float
    ) -> Iterator[Offer]:
        """Priorities one after another. A limited head is asked for only one, since its quota is
        for all of them together.
        """
        highest_first = sorted(scope.priorities, reverse=True)
        if scope.strategy is Strategy.WEIGHTED_RANDOM:
            drawn = draw(
                self._random.sample(highest_first, len(highest_first)), wanted, self._random
            )
        else:
            drawn = dict.fromkeys(highest_first, wanted)
        asked: set[int] = set()
        for priority, count in drawn.items():
            having = [head for head in heads if head.best >= priority and head.id not in asked]
            if not having or not count:
                continue
            weighted = scope.strategy is Strategy.WEIGHTED_RANDOM
            quota = ceil(count / len(having)) if weighted else count
            for head in having:
                if head.is_limited:
                    asked.add(head.id)
                yield from self._bounded(pick, scope, head, priority, quota, now)

    def _bounded(
        self, pick: Pick, scope: Scope, head: Head, priority: int, quota: int, now: float
    ) -> Iterator[Offer]:
        if not pick.is_newest:
            above = self._oldest.above(head.id, priority, now)
            yield Offer(scope, head, priority, above, TOP, quota)
            return
        ranges = self._newest.outside(head.id, priority, now)
        for above, below in ranges if not head.is_limited else [(0, TOP)]:
            yield Offer(scope, head, priority, above, below, quota)
