"""The console: everything that is drawn on the terminal goes through it."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from swather.masking import masked
from swather.visible import visible


class PlainConsole(Console):
    """A console that prints text as it is: no markup, no control sequences and no passwords. Only
    rich's own control sequences reach the terminal.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"highlight": False, **given}, markup=False, emoji=False)

    def print(self, *objects: Any, **given: Any) -> None:
        super().print(*map(plain, objects), **given)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        return super()._render_buffer(
            segment if segment.control else Segment(visible(segment.text), segment.style)
            for segment in buffer
        )


class LinesAbove:
    """A stream whose lines are drawn above a live display."""

    def __init__(self, console: PlainConsole) -> None:
        self._console = console
        self._unended = ""

    def write(self, text: str) -> int:
        *lines, self._unended = (self._unended + text).split("\n")
        for line in lines:
            self._console.print(line)
        return len(text)

    def flush(self) -> None:
        """A line is drawn when it has ended."""

    def close(self) -> None:
        """Draw the line that never ended."""
        if self._unended:
            self.write("\n")

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console.file, name)


def plain(value: Any) -> Any:
    """A text as it may be drawn; anything else as it is."""
    return Text(visible(masked(value))) if isinstance(value, str) else value
