"""How far loading has come, while a command does nothing else: one line, updated in place."""

from time import monotonic
from typing import TYPE_CHECKING, Final, Self

from swather.runs.words import rate

if TYPE_CHECKING:
    from swather.runs.console import PlainConsole
    from swather.runs.load import Loaded

_FIRST_AFTER_SECONDS: Final = 1.0
_SECONDS_PER_LINE: Final = 5.0


class LoadProgress:
    """Shown after a second, so that a short load leaves no trace. Elsewhere than on a terminal it
    is a line every few seconds.
    """

    def __init__(self, console: "PlainConsole") -> None:
        from rich.status import Status

        self._console = console
        self._began = monotonic()
        self._next_at = self._began + _FIRST_AFTER_SECONDS
        self._status = Status("", console=console) if console.is_terminal else None
        self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None and self._is_shown:
            self._status.stop()

    def show(self, loaded: "Loaded") -> None:
        now = monotonic()
        if now < self._next_at:
            return
        pace = rate(loaded.targets / (now - self._began))
        text = f"{loaded.targets:,} targets read, {loaded.added:,} new, {pace}"
        if self._status is None:
            self._next_at = now + _SECONDS_PER_LINE
            self._console.print(text)
            return
        self._status.update(text)
        if not self._is_shown:
            self._is_shown = True
            self._status.start()
