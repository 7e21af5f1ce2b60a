"""Turns at what takes as long as its client likes. Each kind of it has its own, so that uploads
which nobody ends keep nobody from exports.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Final

from swather.api.problems import Refused

# A client that neither sends nor takes anything for so long gives up its turn.
IDLE_SECONDS: Final = 60.0


class Turns:
    """Up to `most` at once; nobody waits for one. `what` they are, for people."""

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._left = BoundedSemaphore(most)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Refused if there is none left."""
        if not self._left.acquire(blocking=False):
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"{self._most} {self._what} are under way already; try again in a while",
            )
        try:
            yield
        finally:
            self._left.release()
