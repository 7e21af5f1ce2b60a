"""A small terminal: what a program draws in it, and what becomes of that when it is resized."""

import re
from math import ceil

_SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b[=>]")


class Screen:
    """Understands what a live view needs: lines, carriage returns, moves up, erased lines. Like
    most terminals it breaks long lines, and breaks them anew when it becomes narrower.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._lines = [""]
        # Line and cell of the cursor.
        self._line = 0
        self._cell = 0
        self._pending = ""

    def resize(self, columns: int) -> None:
        self.columns = columns

    def feed(self, text: str) -> None:
        text, self._pending = self._pending + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = _SEQUENCE.match(text, at)
                if found is None:
                    self._pending = text[at:]
                    return
                self._control(found[1], found[2])
                at = found.end()
                continue
            self._put(text[at])
            at += 1

    @property
    def rows(self) -> list[str]:
        """What is seen, without empty rows at the end."""
        shown = [row for line in self._lines for row in self._broken(line)]
        while shown and not shown[-1].strip():
            shown.pop()
        return [row.rstrip() for row in shown]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def _broken(self, line: str) -> list[str]:
        width = self.columns
        return [line[at : at + width] for at in range(0, max(len(line), 1), width)]

    def _put(self, character: str) -> None:
        if character == "\n":
            self._line += 1
            if self._line == len(self._lines):
                self._lines.append("")
            self._cell = 0
        elif character == "\r":
            self._cell -= self._cell % self.columns
        elif character >= " ":
            line = self._lines[self._line].ljust(self._cell)
            self._lines[self._line] = line[: self._cell] + character + line[self._cell + 1 :]
            self._cell += 1

    def _control(self, numbers: str | None, kind: str | None) -> None:
        if kind == "A":
            for _ in range(int(numbers or 1)):
                self._up()
        elif kind == "K":
            start = self._cell - self._cell % self.columns
            line = self._lines[self._line]
            self._lines[self._line] = line[:start] + line[start + self.columns :]

    def _up(self) -> None:
        if self._cell >= self.columns:
            self._cell -= self.columns
        elif self._line:
            self._line -= 1
            rows = max(ceil(len(self._lines[self._line]) / self.columns), 1)
            self._cell = (rows - 1) * self.columns + self._cell % self.columns
