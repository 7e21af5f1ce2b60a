"""What an attempt notes besides its results: lines of `ctx.log`, items that hooks dropped, targets
that it skipped, and how sources answered.
"""

import logging
from typing import Any, Final

import msgspec

from swather.masking import masked
from swather.model.outcome import LogLine
from swather.model.source import SourceNote

MAX_LINES: Final = 1_000
_MAX_CHARACTERS: Final = 1_000


class Notes(msgspec.Struct):
    """Of one attempt. The last line that is kept says that there were more; threads may add."""

    max_lines: int = MAX_LINES
    lines: list[LogLine] = []
    dropped: int = 0
    skipped: int = 0
    sources: list[SourceNote] = []

    def keep(self, level: int, message: Any, arguments: tuple[Any, ...]) -> None:
        """Keep a line of `ctx.log`, from level INFO on; secrets in it are masked."""
        if level < logging.INFO or len(self.lines) >= self.max_lines:
            return
        name = logging.getLevelName(level).lower()
        if len(self.lines) == self.max_lines - 1 > 0:
            self.lines.append(LogLine(name, "… (more lines are not kept, see `log_lines`)"))
            return
        try:
            text = str(message) % arguments if arguments else str(message)
        except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
            text = "(a line that cannot be shown)"
        self.lines.append(LogLine(name, masked(text)[:_MAX_CHARACTERS]))

    def drop(self) -> None:
        self.dropped += 1

    def skip(self, count: int) -> None:
        self.skipped += count

    def take_sources(self) -> list[SourceNote]:
        """What was noted of sources since this was last asked; it is about to be committed."""
        taken, self.sources = self.sources, []
        return taken

    def give_back_sources(self, taken: list[SourceNote]) -> None:
        """They were not committed."""
        self.sources = taken + self.sources

    def add(self, others: "Notes") -> None:
        """Those of the same attempt in another process."""
        room = max(self.max_lines - len(self.lines), 0)
        self.lines += others.lines[:room]
        self.dropped += others.dropped
        self.skipped += others.skipped
        self.sources += others.sources
