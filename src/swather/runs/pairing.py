"""Pairs the items of two runs that are sorted by what they are matched by.

Where several items have the same match, identical ones are paired first, the others in their order.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, zip_longest
from operator import itemgetter
from typing import Final

from swather.runs.disk_sort import Record
from swather.runs.matching import MatchedBy, matched_by

# An item of the older run, one of the newer, or both.
Pair = tuple[Record | None, Record | None]

# So many items of one match are looked at together; more are paired in their order alone.
MANY: Final = 1_000
_MANY_BYTES: Final = 16 << 20

_match_of = itemgetter(0)


class Pairing:
    """The pairs in the order of the matches. `repeated`: keys that are on several items of one run;
    `crowded`: those on so many that identical items were not looked for.
    """

    def __init__(self, older: Iterable[Record], newer: Iterable[Record]) -> None:
        self._older = older
        self._newer = newer
        self.repeated = 0
        self.crowded = 0

    def __iter__(self) -> Iterator[Pair]:
        older, newer = groupby(self._older, _match_of), groupby(self._newer, _match_of)
        before, after = next(older, None), next(newer, None)
        while before is not None or after is not None:
            if before is not None and (after is None or before[0] < after[0]):
                yield from ((record, None) for record in before[1])
                before = next(older, None)
            elif after is not None and (before is None or after[0] < before[0]):
                yield from ((None, record) for record in after[1])
                after = next(newer, None)
            elif before is not None and after is not None:
                yield from self._paired(before[1], after[1])
                before, after = next(older, None), next(newer, None)

    def _paired(self, before: Iterator[Record], after: Iterator[Record]) -> Iterator[Pair]:
        first, second = _some(before), _some(after)
        if len(first) == 1 and len(second) == 1:
            yield first[0], second[0]
            return
        further = (next(before, None), next(after, None))
        if matched_by((first or second)[0][0]) is not MatchedBy.PLACE:
            self.repeated += 1
        if further == (None, None):
            yield from _alike_first(first, second)
            return
        self.crowded += 1
        yield from zip_longest(
            _chained(first, further[0], before), _chained(second, further[1], after)
        )


def _some(records: Iterator[Record]) -> list[Record]:
    taken: list[Record] = []
    size = 0
    for record in records:
        taken.append(record)
        size += len(record[2])
        if len(taken) == MANY or size > _MANY_BYTES:
            break
    return taken


def _chained(
    taken: list[Record], further: Record | None, rest: Iterator[Record]
) -> Iterator[Record]:
    return chain(taken, () if further is None else (further,), rest)


def _alike_first(first: list[Record], second: list[Record]) -> Iterator[Pair]:
    alike: defaultdict[bytes, list[Record]] = defaultdict(list)
    for record in reversed(second):
        alike[record[2]].append(record)
    left = []
    for record in first:
        same = alike[record[2]]
        if same:
            yield record, same.pop()
        else:
            left.append(record)
    unpaired = sorted(record for records in alike.values() for record in records)
    yield from zip_longest(left, unpaired)
