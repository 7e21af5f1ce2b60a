"""Which row the lines of a table belong to that have nothing in its first column."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

# In the height of the font: lines that are nearer to each other may be of one row.
_NEAR: Final = 1.6
# Two lines of one cell are at least this far from each other: a line that is nearer to a row stands
# between two lines of its cell.
_OF_ONE_CELL: Final = 0.9
# How exactly a cell is centred, and how much wider the gap above its first line is.
_SAME: Final = 0.3
_WIDER: Final = 1.05
# The row above the first one of a page: the last one of the page before.
ABOVE: Final = -1


class Piece(NamedTuple):
    """A line of a table: how high it stands, the height of its font, whether it begins a row, and
    in how many columns it has something.
    """

    middle: float
    size: float
    begins_row: bool
    filled: int


def rows_of(pieces: Sequence[Piece], *, is_below_head: bool, has_rows: bool) -> dict[int, int]:
    """For the number of each line, that of the line that begins its row, or ABOVE. A line of no
    row, such as a title or the number of a page, is not in it. `has_rows` says whether there are
    rows before these lines.
    """
    begins = [number for number, piece in enumerate(pieces) if piece.begins_row]
    found = {number: number for number in begins}
    for row, following in pairwise([-1, *begins, len(pieces)]):
        first = _first_of_next(pieces, row, following, has_rows=has_rows)
        found |= dict.fromkeys(range(first, following), following)
        rest = range(row + 1, first)
        if row >= 0:
            found |= dict.fromkeys(_chained(pieces, rest), row)
        elif has_rows and rest and (is_below_head or _goes_on(pieces, rest, following)):
            found |= dict.fromkeys([0, *_chained(pieces, rest[1:])], ABOVE)
    return found


def _chained(pieces: Sequence[Piece], numbers: range) -> list[int]:
    """Those lines that follow the one above them, and each other, without a wide gap."""
    chained = []
    for number in numbers:
        if not _is_near(pieces, number):
            break
        chained.append(number)
    return chained


def _goes_on(pieces: Sequence[Piece], rest: range, following: int) -> bool:
    """Whether the first lines of a page without a head continue its table, and are no title: they
    are in several columns, or reach down to its rows.
    """
    if pieces[rest.start].filled > 1:
        return True
    below = range(rest.start + 1, following + 1)
    return following < len(pieces) and all(_is_near(pieces, number) for number in below)


def _first_of_next(pieces: Sequence[Piece], row: int, following: int, *, has_rows: bool) -> int:
    """The first line above a row that belongs to it; the row itself if there is none. Its cell is
    centred: the line is nearer to it than to the row before, and another one is as far below.
    """
    if following == len(pieces):
        return following
    first = following
    if row < 0:
        is_inside = _gap(pieces, following) < _OF_ONE_CELL * pieces[following].size
        first = 0 if following and (is_inside or not has_rows) else following
    else:
        for number in reversed(range(row + 1, following)):
            if _gap(pieces, number) > _WIDER * _gap(pieces, first):
                first = number
    is_centred = all(
        _is_near(pieces, number + 1) and _is_mirrored(pieces, number, following)
        for number in range(first, following)
    )
    return first if is_centred else following


def _is_mirrored(pieces: Sequence[Piece], number: int, row: int) -> bool:
    """Whether a line of the same row stands as far below it as this one above it."""
    middle, size = pieces[row].middle, pieces[row].size
    for piece in pieces[row + 1 :]:
        if piece.begins_row:
            break
        if abs(pieces[number].middle + piece.middle - 2 * middle) < _SAME * size:
            return True
    return False


def _gap(pieces: Sequence[Piece], number: int) -> float:
    """To the line above; none above the first line of a page."""
    return pieces[number - 1].middle - pieces[number].middle if number else 0


def _is_near(pieces: Sequence[Piece], number: int) -> bool:
    return _gap(pieces, number) < _NEAR * pieces[number].size
