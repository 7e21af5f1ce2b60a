"""Lines from a pipe, which may come slowly: readers learn when there are none yet."""

from collections.abc import Iterable, Iterator
from threading import Condition, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_QUIET_SECONDS: Final = 0.2
_MAX_AHEAD: Final = 10_000


class Pipe(Generic[T]):
    """The entries of a slow source, read ahead in a thread; None whenever nothing has arrived.

    A blocked read cannot be interrupted, so the thread is abandoned when there is no reader left.
    """

    def __init__(self, entries: Iterable[T]) -> None:
        self._entries = entries
        self._changed = Condition()
        self._waiting: list[T] = []
        self._ended = False
        self._error: BaseException | None = None

    def __iter__(self) -> Iterator[T | None]:
        Thread(target=self._read, name="targets from a pipe", daemon=True).start()
        while True:
            with self._changed:
                if not (self._waiting or self._ended):
                    self._changed.wait(_QUIET_SECONDS)
                taken, self._waiting = self._waiting, []
                over = self._ended
                self._changed.notify_all()
            yield from taken
            if over:
                break
            if not taken:
                yield None
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        try:
            for entry in self._entries:
                with self._changed:
                    self._changed.wait_for(lambda: len(self._waiting) < _MAX_AHEAD)
                    self._waiting.append(entry)
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - it is raised again by who reads the lines
            self._error = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()
