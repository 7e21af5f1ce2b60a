"""Numbers as shapes that a page draws as SVG."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

# From which share on a cell is so warm, the coldest first.
_HEATS: Final = (0.0, 0.5, 0.8, 0.9, 0.97)


class Block(NamedTuple):
    """A part of a column: `x` is the number of the column, the rest in percent of the height."""

    state: str
    x: int
    y: float
    height: float


class Bar(NamedTuple):
    """`x` is the number of the bar, the rest in a box of 20."""

    x: int
    y: float
    height: float


def bars(counts: Sequence[int]) -> Iterator[Bar]:
    """Nothing where there is none; one among many is seen, too."""
    top = max(counts, default=0)
    for x, count in enumerate(counts):
        if count > 0:
            height = round(max(20 * count / top, 3.0), 1)
            yield Bar(x, round(20 - height, 1), height)


def spark_path(values: Iterable[float | None]) -> str:
    """A line through numbers, the oldest first, in a box of 100 by 20."""
    numbers = [value or 0.0 for value in values] or [0.0]
    if len(numbers) == 1:
        numbers *= 2
    top = max(numbers) or 1.0
    step = 100 / (len(numbers) - 1)
    points = (f"{i * step:.1f} {19 - 18 * each / top:.1f}" for i, each in enumerate(numbers))
    return "M" + " L".join(points)


def stacked(points: Sequence[Any], states: Sequence[str]) -> Iterator[Block]:
    """Columns of numbers by state, the first state at the bottom; nothing where there is none."""
    top = max((sum(_of(point, states)) for point in points), default=0.0)
    if not top:
        return
    for x, point in enumerate(points):
        y = 100.0
        for state, number in zip(states, _of(point, states), strict=True):
            if number > 0:
                # Few among many are seen, too.
                height = max(96 * number / top, 1.5)
                y -= height
                yield Block(state, x, round(max(y, 0.0), 2), round(height, 2))


def _of(point: Any, states: Sequence[str]) -> list[float]:
    return [float(getattr(point, state)) for state in states]


def heat_of(share: float) -> int:
    """The warmth of a share of successes: from 0, where few are, to 4, where nearly all are."""
    return max(heat for heat, least in enumerate(_HEATS) if share >= least)
