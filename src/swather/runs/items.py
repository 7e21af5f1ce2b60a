"""A run's items as JSON lines, read in commit order and in pieces that fit in memory."""

import time
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from swather.store import Store

_FIRST: Final = 100
_MOST: Final = 2_000
_MANY_BYTES: Final = 8 << 20
_PATIENCE_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.02


class Piece(NamedTuple):
    """Some lines, each with its end, and the position after the last item that was read."""

    lines: list[bytes]
    position: str
    items: int


def pieces(
    store: Store, run: str, *, after: str = "", complete_only: bool = False
) -> Iterator[Piece]:
    """What can be read after a position; smaller pieces when items are large.

    With `complete_only` the items of tasks that have not completed are read but give no lines.
    """
    encoder = msgspec.json.Encoder()
    limit = _FIRST
    while items := store.results.items(run, after=after, limit=limit):
        lines = [
            encoder.encode(item.data) + b"\n"
            for item in items
            if not (complete_only and item.partial)
        ]
        after = items[-1].position
        yield Piece(lines, after, len(items))
        if len(items) < limit:
            return
        large = sum(map(len, lines)) > _MANY_BYTES
        limit = max(limit // 4, 1) if large else min(limit * 2, _MOST)


class Reading:
    """All items that a run has when the reading begins.

    The last ones can be read only when no older transaction is open on the server any more, so
    they are waited for; `missing` is how many did not come.
    """

    def __init__(self, store: Store, run: str, *, complete_only: bool = False) -> None:
        self._store = store
        self._run = run
        self._complete_only = complete_only
        self.lines = 0
        self.missing = 0

    def __iter__(self) -> Iterator[list[bytes]]:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        wanted = self._items()
        seen, after = 0, ""
        while True:
            for piece in pieces(
                self._store, self._run, after=after, complete_only=self._complete_only
            ):
                seen, after = seen + piece.items, piece.position
                self.lines += len(piece.lines)
                yield piece.lines
            self.missing = max(min(wanted, self._items()) - seen, 0)
            if not self.missing or time.monotonic() > deadline:
                return
            time.sleep(_PAUSE_SECONDS)

    def _items(self) -> int:
        return self._store.runs.counts(self._run).items
