"""The words of a page of a PDF, and the lines that they form."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

# In the height of the font: what parts two words, and what parts the cells of two columns.
_BETWEEN_WORDS: Final = 0.15
_BETWEEN_CELLS: Final = 0.7
# Glyphs belong to one line if their middles differ by less than this.
_SAME_LINE: Final = 0.45


class Glyph(NamedTuple):
    """A character; `top` and `bottom` count upwards, as PDF does, and `size` is the font's."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float


class Word(NamedTuple):
    """Characters without a gap between them."""

    text: str
    left: float
    right: float
    size: float


class Line(NamedTuple):
    """Words from left to right; `middle` is how high on the page they stand."""

    words: tuple[Word, ...]
    middle: float
    size: float


class Segment(NamedTuple):
    """Words that belong to one cell."""

    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        return self.words[0].left

    @property
    def right(self) -> float:
        return self.words[-1].right


def lines_of(glyphs: Iterable[Glyph]) -> list[Line]:
    """From the top of the page to its end."""
    rows: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=_middle, reverse=True):
        if rows and _middle(rows[-1][0]) - _middle(glyph) < _SAME_LINE * rows[-1][0].size:
            rows[-1].append(glyph)
        else:
            rows.append([glyph])
    return [
        Line(tuple(_words(sorted(row, key=lambda glyph: glyph.left))), _middle(row[0]), row[0].size)
        for row in rows
    ]


def segments(words: Iterable[Word]) -> list[Segment]:
    """The cells of a line, by the gaps between them."""
    cells: list[list[Word]] = []
    for word in words:
        if cells and word.left - cells[-1][-1].right < _BETWEEN_CELLS * word.size:
            cells[-1].append(word)
        else:
            cells.append([word])
    return [Segment(tuple(cell)) for cell in cells]


def _words(glyphs: list[Glyph]) -> Iterator[Word]:
    word: list[Glyph] = []
    for glyph in glyphs:
        if word and glyph.left - word[-1].right > _BETWEEN_WORDS * glyph.size:
            yield _word(word)
            word = []
        word.append(glyph)
    if word:
        yield _word(word)


def _word(glyphs: list[Glyph]) -> Word:
    text = "".join(glyph.text for glyph in glyphs)
    return Word(text, glyphs[0].left, glyphs[-1].right, glyphs[0].size)


def _middle(glyph: Glyph) -> float:
    return (glyph.top + glyph.bottom) / 2
