"""What a page reads less often than it is drawn, because it changes more slowly."""

from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from swather.store.ports.history import SAMPLE_SECONDS

T = TypeVar("T")


class Slowly(Generic[T]):
    """Reads as often as there may be something new in the history, however often it is asked."""

    def __init__(self) -> None:
        self._found: tuple[float, T] | None = None

    def read(self, find: Callable[[], T]) -> T:
        if self._found is None or monotonic() >= self._found[0] + SAMPLE_SECONDS:
            self._found = monotonic(), find()
        return self._found[1]
