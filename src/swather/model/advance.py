"""Work in batches tells between two of them how much is done. What hears of it may raise, and so
stop the work before its next batch begins.
"""

from collections.abc import Callable

Advance = Callable[[int], None]


def not_told(_done: int) -> None:
    """For work that nobody follows."""
