"""Sources: what attempts ask besides their target's own site, and when to leave one alone."""

from enum import StrEnum
from typing import Final

import msgspec

# So many failures in a row open the breaker of a source. It stays open for the first time, then for
# twice as long each time that it opens again before the source has answered.
FAILURES_TO_OPEN: Final = 3
FIRST_OPEN_SECONDS: Final = 60.0
MAX_OPEN_SECONDS: Final = 3_600.0
# For so long others wait for an attempt that probes a source, even if its worker died.
PROBE_SECONDS: Final = 120.0


class Answer(StrEnum):
    """How a source answered; SKIPPED: it was not asked, since its breaker is open."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a source, and what came of it."""

    name: str
    answer: Answer
    seconds: float = 0.0
    error: str = ""
    counts: dict[str, int] = {}


class SourceState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a source is to be left alone. If so, `retry_in` says for how many seconds at least,
    and `reason` how it failed last.
    """

    is_open: bool = False
    retry_in: float = 0.0
    reason: str = ""


class BreakerState(StrEnum):
    """HALF_OPEN: one attempt may probe the source, or does."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class SourceBreaker(msgspec.Struct, frozen=True, kw_only=True):
    """The breaker of a source: failures in a row, and for how long nobody may ask."""

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    retry_in: float = 0.0
    reason: str = ""


class SourceStats(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of a source, and what it answered. `failures` has the titles of errors with
    their numbers, the most frequent first; `counts` is what the scraper counts.
    """

    scraper: str
    source: str
    succeeded: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = {}
    failures: dict[str, int] = {}
    breaker: SourceBreaker = SourceBreaker()

    @property
    def asked(self) -> int:
        return self.succeeded + self.failed

    @property
    def success_rate(self) -> float | None:
        """From 0 to 1; None if it was never asked."""
        return self.succeeded / self.asked if self.asked else None

    @property
    def mean_seconds(self) -> float | None:
        return self.seconds / self.asked if self.asked else None
