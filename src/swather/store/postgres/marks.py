"""Low-water marks, by which claims skip dead rows. No twin: SQLite leaves no dead rows.

While some old transaction is open, rows that claims have deleted stay in the index, and every scan
from the beginning of a head passes over all of them. A mark is a hint, never the truth: tasks may
appear below it (a late commit, a released task), so that now and then, and whenever a scan from the
mark finds too little, a claim must scan without it.
"""

import math
from collections import OrderedDict
from typing import Final

MAX_MARKS: Final = 10_000
WORTHWHILE: Final = 100
RESCAN_SECONDS: Final = 0.25
COST_FACTOR: Final = 20
TOP: Final = 2**62
NEVER: Final = -math.inf


class Mark:
    """What this process has taken from one head, of one priority or of all."""

    __slots__ = ("bottom", "cost_seconds", "given", "scanned_at", "top")

    def __init__(self) -> None:
        self.given = 0
        self.bottom = TOP
        self.top = 0
        self.scanned_at = NEVER
        self.cost_seconds = 0.0


class Marks:
    """Marks of one direction, by head and priority (0 = all), at most MAX_MARKS."""

    def __init__(self) -> None:
        self._marks: OrderedDict[tuple[int, int], Mark] = OrderedDict()

    def above(self, head_id: int, priority: int, now: float) -> int:
        """The id after which to look for the oldest; 0 = look at all."""
        mark = self._marks.get((head_id, priority))
        if mark is None or mark.given < WORTHWHILE or self._due(mark, now):
            return 0
        return mark.top

    def outside(self, head_id: int, priority: int, now: float) -> list[tuple[int, int]]:
        """The (above, below) ranges in which to look for the newest, the highest first."""
        mark = self._marks.get((head_id, priority))
        if mark is None or mark.given < WORTHWHILE or self._due(mark, now):
            return [(0, TOP)]
        return [(mark.top, TOP), (0, mark.bottom)]

    def doubt(self, head_id: int, priority: int, now: float) -> bool:
        """A scan from the mark found too little: scan all next time, if that is affordable."""
        mark = self._marks.get((head_id, priority))
        if mark is not None and now < mark.scanned_at + COST_FACTOR * mark.cost_seconds:
            return False
        if mark is not None:
            mark.scanned_at = NEVER
        return True

    def scanned(self, head_id: int, priority: int, now: float, cost_seconds: float) -> None:
        """Everything was scanned, and how long that took."""
        mark = self._marks.get((head_id, priority))
        if mark is not None:
            mark.scanned_at = now
            mark.cost_seconds = cost_seconds

    def took_oldest(self, head_id: int, priority: int, task_ids: list[int]) -> None:
        mark = self._mark(head_id, priority)
        mark.given += len(task_ids)
        mark.bottom = 0
        mark.top = max(task_ids)

    def took_newest(self, head_id: int, priority: int, task_ids: list[int], *, fresh: bool) -> None:
        """`fresh`: tasks between these and what was taken before may be left."""
        mark = self._mark(head_id, priority)
        mark.given += len(task_ids)
        low, high = min(task_ids), max(task_ids)
        mark.bottom = low if fresh else min(mark.bottom, low)
        mark.top = high if fresh else max(mark.top, high)

    def returned(self, head_id: int, priority: int, task_id: int) -> None:
        """A task came back, perhaps below the mark. Elsewhere the mark stays, or the two ranges
        outside of it could overlap and a claim take one task twice.
        """
        for place in ((head_id, priority), (head_id, 0)):
            mark = self._marks.get(place)
            if mark is not None and mark.bottom <= task_id <= mark.top:
                mark.top = task_id - 1

    def _mark(self, head_id: int, priority: int) -> Mark:
        place = head_id, priority
        mark = self._marks.get(place)
        if mark is None:
            mark = self._marks[place] = Mark()
            if len(self._marks) > MAX_MARKS:
                self._marks.popitem(last=False)
        else:
            self._marks.move_to_end(place)
        return mark

    def _due(self, mark: Mark, now: float) -> bool:
        return now >= mark.scanned_at + max(RESCAN_SECONDS, COST_FACTOR * mark.cost_seconds)
