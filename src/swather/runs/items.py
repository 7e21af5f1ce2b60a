"""A run's items as JSON lines, read in commit order and in pieces that fit in memory."""

import logging
import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple, Protocol

import msgspec

from swather.errors import ResultsIncomplete
from swather.model.results import StoredItem
from swather.runs.transaction_words import in_the_way
from swather.runs.words import count
from swather.store import Store

PATIENCE_SECONDS: Final = 10.0

_FIRST: Final = 100
_MOST: Final = 2_000
_MANY_BYTES: Final = 8 << 20
_SAY_AFTER_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.02

_log = logging.getLogger(__name__)


class Piece(NamedTuple):
    """Some lines, each with its end, the items that were read, and the position after the last."""

    lines: list[bytes]
    position: str
    stored: list[StoredItem]

    @property
    def items(self) -> int:
        return len(self.stored)


def pieces(
    store: Store, run: str, *, after: str = "", complete_only: bool = False, outdated: bool = False
) -> Iterator[Piece]:
    """The items after a position; in smaller pieces when they are large.

    With `complete_only` the items of tasks that have not completed are read but give no lines. With
    `outdated`, the outdated items instead.
    """
    encoder = msgspec.json.Encoder()
    read = store.results.outdated if outdated else store.results.items
    limit = _FIRST
    while items := read(run, after=after, limit=limit):
        lines = [
            encoder.encode(item.data) + b"\n"
            for item in items
            if not (complete_only and item.partial)
        ]
        after = items[-1].position
        yield Piece(lines, after, items)
        if len(items) < limit:
            return
        large = sum(map(len, lines)) > _MANY_BYTES
        limit = max(limit // 4, 1) if large else min(limit * 2, _MOST)


class Lines(Protocol):
    """Items as JSON lines, some at a time; `lines` is how many there were so far."""

    @property
    def lines(self) -> int: ...
    def __iter__(self) -> Iterator[list[bytes]]: ...


class Outdated:
    """The outdated items of a run."""

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self._run = run
        self.lines = 0

    def __iter__(self) -> Iterator[list[bytes]]:
        for piece in pieces(self._store, self._run, outdated=True):
            self.lines += len(piece.lines)
            yield piece.lines


class Reading:
    """All items that a run has when the reading begins.

    The last ones can be read only when no older transaction is open in the database, so this waits
    for them; ResultsIncomplete is raised when they do not come.
    """

    def __init__(self, store: Store, run: str, *, complete_only: bool = False) -> None:
        self._store = store
        self._run = run
        self._complete_only = complete_only
        self.lines = 0

    def __iter__(self) -> Iterator[list[bytes]]:
        for piece in self.pieces():
            yield piece.lines

    def pieces(self) -> Iterator[Piece]:
        """The same with what each line was read from."""
        waiting = Waiting(self._store, self._run)
        wanted = self._items()
        seen, after = 0, ""
        while True:
            for piece in pieces(
                self._store, self._run, after=after, complete_only=self._complete_only
            ):
                seen, after = seen + piece.items, piece.position
                self.lines += len(piece.lines)
                yield piece
            missing = min(wanted, self._items()) - seen
            if missing <= 0:
                return
            if not waiting.goes_on(missing):
                raise waiting.in_vain(missing)

    def _items(self) -> int:
        return self._store.runs.counts(self._run).items


class Waiting:
    """Waits for items that are committed but cannot be read yet, and says what blocks them."""

    def __init__(self, store: Store, run: str, *, at_most_seconds: float = math.inf) -> None:
        self._store = store
        self._run = run
        self._patience_seconds = min(PATIENCE_SECONDS, at_most_seconds)
        self._began = time.monotonic()
        self._has_said = False

    def goes_on(self, missing: int) -> bool:
        """Wait a moment; False when it has taken too long."""
        waited = time.monotonic() - self._began
        if waited > self._patience_seconds:
            return False
        if waited > _SAY_AFTER_SECONDS and not self._has_said:
            self._has_said = True
            _log.warning(
                "%s of run %s cannot be read yet; waiting up to %.0f s for %s",
                count(missing, "item"), self._run, self._patience_seconds, self._in_the_way(),
            )  # fmt: skip
        time.sleep(_PAUSE_SECONDS)
        return True

    def in_vain(self, missing: int) -> ResultsIncomplete:
        return ResultsIncomplete(
            f"{count(missing, 'item')} of run {self._run} cannot be read yet, because of "
            f"{self._in_the_way()}",
            missing,
        )

    def _in_the_way(self) -> str:
        return in_the_way(self._store.upkeep.transactions(), datetime.now(UTC))
