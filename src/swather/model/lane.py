"""Lanes and scrapers, with their limits and breakers."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from swather.errors import InputError
from swather.model.pacing import NO_LIMITS, Limits, in_force, strictest
from swather.model.task import MAX_NAME_BYTES


class PacedKind(StrEnum):
    """Limits attach to a lane, or to everything a scraper does."""

    LANE = "lane"
    SCRAPER = "scraper"


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """A lane (or a scraper) with the limits set on it and what holds it back.

    `strikes`: how often the site has asked us to go away, forgiven ones aside.
    `learned_every_seconds` and `crawl_delay_seconds` slow it down beyond what was set, and so do
    the `run_limits` of all runs on it that have workers; `slowest_run` is the slowest of them,
    and `limiting_runs` how many of them have limits.
    With `overrides`, the limits that were set replace what scrapers ask for, which is all of these
    except the crawl delay.
    """

    name: str
    kind: PacedKind
    limits: Limits
    paused: bool
    cool_until: datetime | None
    cool_reason: str
    in_flight: int
    strikes: int = 0
    learned_every_seconds: float | None = None
    crawl_delay_seconds: float | None = None
    run_limits: Limits = NO_LIMITS
    slowest_run: str = ""
    limiting_runs: int = 0
    overrides: bool = False

    @property
    def in_force(self) -> Limits:
        """The limits that apply to claims and permits."""
        return self.limits_for(NO_LIMITS)

    @property
    def overrides_rate(self) -> bool:
        return self.overrides and self.limits.every_seconds > 0

    def limits_for(self, run_limits: Limits) -> Limits:
        """The same with those of one more run on it."""
        asked = strictest(self.run_limits, run_limits)
        if self.overrides:
            asked = asked.overridden_by(self.limits)
        learned = None if self.overrides_rate else self.learned_every_seconds
        return strictest(in_force(self.limits, learned, self.crawl_delay_seconds), asked)


def free_lane(name: str, kind: PacedKind) -> Lane:
    """A lane that has not been limited yet."""
    return Lane(
        name=name,
        kind=kind,
        limits=NO_LIMITS,
        paused=False,
        cool_until=None,
        cool_reason="",
        in_flight=0,
    )


def lane_through(lane: str, egress_key: str) -> str:
    """What is paced as one where requests leave by several egresses: those on a lane through one of
    them.
    """
    name = f"{lane} via {egress_key}"
    if len(name.encode()) <= MAX_NAME_BYTES:
        return name
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return f"{lane[:100]} via {digest}"


class Breaker(msgspec.Struct, frozen=True, kw_only=True):
    """An open breaker: one task of the scraper starts on the lane every `probe_seconds`, the next
    one at `probe_at`. `seen` is what opened it: statuses, error classes, of how many, and with
    which code. `open_seconds` is for how long it has been open, by the database's clock.
    """

    scraper: str
    lane: str
    opened_at: datetime
    probe_at: datetime
    probe_seconds: float
    seen: dict[str, Any]
    open_seconds: float = 0.0


class BreakerPolicy(msgspec.Struct, frozen=True):
    """Open when `share` of the last `window` attempts have failed (0: never), then let one through
    every `probe_seconds`, and half as often after each one that fails, down to one in
    `probe_cap_seconds`.
    """

    window: int = 20
    share: float = 0.9
    probe_seconds: float = 30.0
    probe_cap_seconds: float = 1_800.0

    def __post_init__(self) -> None:
        if self.window < 0:
            raise InputError(f"a breaker's window must not be negative, got {self.window!r}")
        if not 0 < self.share <= 1:
            raise InputError(f"a breaker's share must be above 0 and at most 1, got {self.share!r}")
        if not 0 < self.probe_seconds <= self.probe_cap_seconds:
            raise InputError(
                "a breaker's probe_seconds must be positive and at most its cap, got "
                f"{self.probe_seconds!r} and {self.probe_cap_seconds!r}"
            )
