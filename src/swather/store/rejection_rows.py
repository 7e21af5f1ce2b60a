"""Rows of rejections: of bounded number, whatever the scrapers of a run give as reasons."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from swather.errors import InputError
from swather.model.rejection import MAX_REASONS, OTHER, checked_reason

MAX_RUN_REASONS: Final = 200
_MAX_RUNS_KNOWN: Final = 1_000
_MAX_COUNT: Final = 1 << 40


class RejectionRow(NamedTuple):
    run_id: int
    task_id: int
    part: int
    reason: str
    times: int


class KnownReasons:
    """The reasons that runs have so far, as one connection knows them; `read` asks the database.

    Two workers may add a new one at the same time, so a run can have a few more.
    """

    def __init__(self, read: Callable[[int], Iterable[str]]) -> None:
        self._read = read
        self._known: dict[int, set[str]] = {}

    def folded(self, rows: Iterable[RejectionRow]) -> list[RejectionRow]:
        """The rows, those of new reasons as 'other' where a run has too many."""
        counts: dict[RejectionRow, int] = {}
        for row in rows:
            reason = row.reason if self._is_kept(row.run_id, row.reason) else OTHER
            place = row._replace(reason=reason, times=0)
            counts[place] = counts.get(place, 0) + row.times
        return [place._replace(times=times) for place, times in counts.items()]

    def _is_kept(self, run_id: int, reason: str) -> bool:
        known = self._known.get(run_id, set())
        if reason in known:
            return True
        if len(known) < MAX_RUN_REASONS:
            if len(self._known) >= _MAX_RUNS_KNOWN:
                self._known.clear()
            known = set(self._read(run_id))
            self._known[run_id] = known
        if reason not in known and len(known) >= MAX_RUN_REASONS:
            return False
        known.add(reason)
        return True


def checked_rejections(rejected: Mapping[str, int]) -> list[tuple[str, int]]:
    """Reasons with their counts; InputError if they are no such."""
    if len(rejected) > MAX_REASONS:
        raise InputError(f"a task has at most {MAX_REASONS} reasons, got {len(rejected)}")
    for reason, n in rejected.items():
        if checked_reason(reason) != reason:
            raise InputError(f"a reason is a short line of text, got {reason!r}")
        if type(n) is not int or not 0 <= n <= _MAX_COUNT:
            raise InputError(f"expected how many rows were rejected as {reason!r}, got {n!r}")
    return [(reason, n) for reason, n in rejected.items() if n]
