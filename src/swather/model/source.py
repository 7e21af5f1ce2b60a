"""Sources: what attempts ask besides their target's own site, and when to leave one alone."""

from enum import StrEnum
from typing import Any, Final, Literal

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


class SourceProgress(msgspec.Struct, frozen=True, kw_only=True):
    """What a running attempt reports of a source: how far it is, `done` of `total` whatever is
    counted.
    """

    state: Literal["waiting", "asking", "done", "failed", "skipped"]
    done: float = 0.0
    total: float = 0.0


class UnderWay(msgspec.Struct, frozen=True, kw_only=True):
    """What the attempts of a run that are running now report of a source: how many wait to ask it,
    how many ask it, and how far these are. `state`: the liveliest that one reports, or ''.
    """

    state: str = ""
    waiting: int = 0
    asking: int = 0
    done: float = 0.0
    total: float = 0.0


class SourceStats(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of a source, and what it answered. `failures` has the titles of errors with
    their numbers, the most frequent first; `counts` is what the scraper counts. All of these are
    committed; `under_way` is not.
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
    under_way: UnderWay = UnderWay()

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

    @property
    def answered(self) -> int:
        """How many questions have an end, of those that were skipped, too."""
        return self.asked + self.skipped

    @property
    def state(self) -> str:
        """In a word: what running attempts do with it, otherwise what has come of it."""
        if self.under_way.waiting or self.under_way.asking:
            return self.under_way.state
        if self.asked:
            return "done" if self.succeeded else "failed"
        return "skipped" if self.skipped else self.under_way.state or "waiting"

    def as_data(self) -> dict[str, Any]:
        """For programs."""
        breaker, under_way = self.breaker, self.under_way
        return {
            "source": self.source,
            "scraper": self.scraper,
            "state": self.state,
            "asked": self.asked,
            "succeeded": self.succeeded,
            "failed": self.failed,
            "skipped": self.skipped,
            "waiting": under_way.waiting,
            "asking": under_way.asking,
            "success_rate": self.success_rate,
            "mean_seconds": self.mean_seconds,
            "counts": self.counts,
            "failures": [{"error": title, "count": n} for title, n in self.failures.items()],
            "breaker": {
                "state": str(breaker.state),
                "failures_in_a_row": breaker.failures,
                "retry_in_seconds": round(breaker.retry_in, 3),
                "reason": breaker.reason or None,
            },
        }
