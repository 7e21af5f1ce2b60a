"""The rows of a table that goes on over the pages of a PDF, by the names of its columns."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from swather.net.pdf.pieces import ABOVE, Piece, rows_of
from swather.net.pdf.words import Line, Segment, Word, segments

Row = dict[str, str]


class Column(NamedTuple):
    """Where the name of a column stands; '' for one that was not asked for."""

    name: str
    left: float
    right: float


class Table:
    """Takes the lines of page after page; `rows` is what was found so far.

    The line with all names of columns is the head, on the first page and wherever it is repeated;
    what stands above it is not part of the table. A line whose first column is empty continues
    the cells of a row (pieces.py).
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self.rows: list[Row] = []
        self.has_head = False
        self._names = [_normal(name) for name in columns]
        self._wanted = dict(zip(self._names, columns, strict=True))
        self._columns: list[Column] = []

    def add_page(self, lines: Iterable[Line]) -> None:
        body: list[Line] = []
        is_below_head = False
        for line in lines:
            head = self._head(line)
            if not head:
                body.append(line)
                continue
            if is_below_head:
                self._add(body, is_below_head=True)
            self._columns, self.has_head, is_below_head, body = head, True, True, []
        if self._columns:
            self._add(body, is_below_head=is_below_head)

    def _head(self, line: Line) -> list[Column]:
        """The columns, if the line names them all."""
        words, columns, names = list(line.words), [], set(self._names)
        while words:
            name, length = self._name_at(words)
            taken = words[: length or 1]
            columns.append(Column(self._wanted.get(name, ""), taken[0].left, taken[-1].right))
            names.discard(name)
            words = words[len(taken) :]
        return [] if names else columns

    def _name_at(self, words: Sequence[Word]) -> tuple[str, int]:
        """The longest name that begins here, and of how many words it is."""
        for name in sorted(self._names, key=len, reverse=True):
            length = len(name.split())
            if _normal(" ".join(word.text for word in words[:length])) == name:
                return name, length
        return "", 0

    def _add(self, lines: Sequence[Line], *, is_below_head: bool) -> None:
        found = [self._cells(line) for line in lines]
        first = next(iter(self._wanted.values()))
        pieces = [
            Piece(line.middle, line.size, bool(cells[first]), sum(map(bool, cells.values())))
            for line, cells in zip(lines, found, strict=True)
        ]
        placed = rows_of(pieces, is_below_head=is_below_head, has_rows=bool(self.rows))
        rows = {ABOVE: self.rows[-1]} if self.rows else {}
        for number, cells in enumerate(found):
            if number not in placed:
                continue
            if placed[number] not in rows:
                rows[placed[number]] = dict.fromkeys(cells, "")
                self.rows.append(rows[placed[number]])
            row = rows[placed[number]]
            for name, text in cells.items():
                row[name] = f"{row[name]} {text}".strip()

    def _cells(self, line: Line) -> Row:
        cells = dict.fromkeys(self._wanted.values(), "")
        for segment in segments(line.words):
            for part, column in self._placed(segment):
                if column.name:
                    cells[column.name] = f"{cells[column.name]} {part.text}".strip()
        return cells

    def _placed(self, segment: Segment) -> Iterable[tuple[Segment, Column]]:
        """A segment with its column; word by word where it reaches over several."""
        over = [column for column in self._columns if _covers(segment, column)]
        if len(over) < 2:
            return [(segment, min(self._columns, key=lambda each: _distance(segment, each)))]
        words = [Segment((word,)) for word in segment.words]
        return [(word, min(over, key=lambda each: _distance(word, each))) for word in words]


def _covers(segment: Segment, column: Column) -> bool:
    return segment.left <= (column.left + column.right) / 2 <= segment.right


def _distance(segment: Segment, column: Column) -> float:
    """How far a cell is from its head, whichever edge or middle they are aligned by."""
    if segment.left < column.right and column.left < segment.right:
        return 0
    middles = abs(segment.left + segment.right - column.left - column.right) / 2
    return min(abs(segment.left - column.left), abs(segment.right - column.right), middles)


def _normal(name: str) -> str:
    return " ".join(name.casefold().split())
