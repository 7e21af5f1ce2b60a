"""The part of a terminal that is redrawn in place."""

from math import ceil
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from rich.live import Live
from rich.live_render import LiveRender
from rich.segment import ControlType, Segment

_FRAMES_PER_SECOND: Final = 8


class Region(Live):
    """A live display that leaves no line behind when the terminal becomes narrower. A terminal then
    breaks long lines in two, so more rows have to be erased than lines were drawn.
    """

    def __init__(self, console: Console) -> None:
        # Not rich's own redirection, which accepts colours and links from whatever is printed.
        super().__init__(
            console=console,
            refresh_per_second=_FRAMES_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live_render = _Rows(console)


class _Rows(LiveRender):
    def __init__(self, console: Console) -> None:
        super().__init__("", vertical_overflow="ellipsis")
        self._console = console
        self._widths: list[int] = []

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        segments = list(super().__rich_console__(console, options))
        drawn = [part for part in segments if isinstance(part, Segment)]
        self._widths = [
            sum(segment.cell_length for segment in line) for line in Segment.split_lines(drawn)
        ]
        yield from segments

    def position_cursor(self) -> Control:
        if not self._widths:
            return Control()
        columns = max(self._console.width, 1)
        rows = sum(max(ceil(width / columns), 1) for width in self._widths)
        above = ((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)) * (rows - 1)
        return Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2), *above)
