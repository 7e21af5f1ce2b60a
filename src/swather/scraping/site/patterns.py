"""Regular expressions that cannot hang.

Python's `re` cannot be interrupted. The package `regex` looks at the clock while it matches, and
what it is given is cut: a match ends soon after its time limit, whatever the expression
(docs/decisions/0016-bounded-expressions.md).
"""

import time
from typing import Any, Final

import regex

from swather.errors import InputError

MATCH_SECONDS: Final = 0.2
PAGE_SECONDS: Final = 2.0
MAX_CHARACTERS: Final = 100_000


class MatchTimeout(Exception):
    """A regular expression took too long."""


class Budget:
    """The time that all expressions together may take on one page."""

    def __init__(self, seconds: float | None = None) -> None:
        self.left_seconds = PAGE_SECONDS if seconds is None else seconds

    @property
    def is_spent(self) -> bool:
        return self.left_seconds <= 0


class Pattern:
    """A regular expression; InputError says what is wrong with it."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._compiled: Any = regex.compile(text, regex.VERSION0, cache_pattern=False)
        except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
            raise InputError(f"is not a regular expression: {error}") from None

    def find(self, text: str, budget: Budget) -> str | None:
        """What it finds: its first group, if it has one. MatchTimeout if that takes too long."""
        found = self._search(text, budget)
        if found is None:
            return None
        text = found[1] if self._compiled.groups else found[0]
        return text or None

    def is_in(self, text: str, budget: Budget) -> bool:
        return self._search(text, budget) is not None

    def _search(self, text: str, budget: Budget) -> Any:
        if budget.is_spent:
            raise MatchTimeout
        began = time.perf_counter()
        try:
            return self._compiled.search(
                text[:MAX_CHARACTERS], timeout=min(MATCH_SECONDS, budget.left_seconds)
            )
        except (TimeoutError, MemoryError) as error:
            raise MatchTimeout from error
        finally:
            budget.left_seconds -= time.perf_counter() - began
