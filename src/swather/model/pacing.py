"""How fast a lane or a scraper may start work: limits, pauses, a learned pace, and cool-downs after
strikes.
"""

import math
from random import Random
from typing import Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.written_rate import BOUNDS, EXAMPLES, is_in_bounds, seconds_between

NEVER: Final = math.inf
MAX_COUNT: Final = 2**31 - 1
# More than the rounding error of a time since 1970, less than anyone can notice.
_TOLERANCE_SECONDS: Final = 1e-6
# How much later than the limits explain `due_at` may be: transactions do not commit in the order in
# which they read the clock.
_SKEW_SECONDS: Final = 5.0
# How far ahead a start may be reserved.
MAX_AHEAD_SECONDS: Final = 2.0
# The hold on a start that only has to wait for its moment.
PACED: Final = "paced"
_SLOWER: Final = 1.5
# The interval that a failure sets on a lane that had none.
_FIRST_SECONDS: Final = 0.1


class Limits(msgspec.Struct, frozen=True):
    """`every_seconds` between starts (0 = no rate), up to `burst` at once, `in_flight` together.

    A run's interval may be one for `public_only`: for lanes that are hosts of the public web.
    """

    every_seconds: float = 0.0
    burst: int = 1
    in_flight: int | None = None
    public_only: bool = False

    def __post_init__(self) -> None:
        if not (self.every_seconds >= 0 and math.isfinite(self.every_seconds)):
            raise InputError(
                f"every_seconds must be 0 or a positive number, got {self.every_seconds!r}"
            )
        if not 1 <= self.burst <= MAX_COUNT:
            raise InputError(f"burst must be from 1 to {MAX_COUNT:,}, got {self.burst!r}")
        if self.in_flight is not None and not 1 <= self.in_flight <= MAX_COUNT:
            raise InputError(
                f"in_flight must be from 1 to {MAX_COUNT:,} or None, got {self.in_flight!r}"
            )

    def without_in_flight(self) -> "Limits":
        return Limits(self.every_seconds, self.burst)

    def overridden_by(self, own: "Limits") -> "Limits":
        """What is left of them where `own` replace them: what `own` do not limit."""
        if not own.every_seconds:
            return Limits(
                self.every_seconds,
                self.burst,
                self.in_flight if own.in_flight is None else None,
                self.public_only,
            )
        return Limits(in_flight=self.in_flight if own.in_flight is None else None)

    @property
    def are_none(self) -> bool:
        return not self.every_seconds and self.in_flight is None


NO_LIMITS: Final = Limits()
# A default that site owners accept.
DEFAULT_RATE: Final = "5/s"
NO_RATE: Final = "none"


class Pace(msgspec.Struct, frozen=True):
    """The state of a lane: when its next start is due, and what holds it back.

    `due_at` is the theoretical arrival time of GCRA: each start moves it one interval on.
    """

    due_at: float = 0.0
    paused: bool = False
    cool_until: float | None = None
    in_flight: int = 0


def parse_rate(rate: str) -> float:
    """Seconds between starts for '5/s', '30/min', '1000/h', '1/2s'."""
    seconds = seconds_between(rate)
    if seconds is None:
        raise InputError(f"a rate looks like {EXAMPLES}, got {rate!r:.80}")
    if not is_in_bounds(seconds):
        raise InputError(f"a rate is {BOUNDS}, got {rate!r:.80}")
    return seconds


def strictest(*limits: Limits) -> Limits:
    """The slowest interval with the smallest burst, and the fewest in flight."""
    paced = [limit for limit in limits if limit.every_seconds]
    in_flight = [limit.in_flight for limit in limits if limit.in_flight is not None]
    return Limits(
        max((limit.every_seconds for limit in paced), default=0.0),
        min((limit.burst for limit in paced), default=1),
        min(in_flight, default=None),
    )


def in_force(limits: Limits, learned_every: float | None, crawl_delay: float | None) -> Limits:
    """A lane's limits with its learned pace and its site's crawl delay: the slowest interval wins,
    without a burst unless it is the one that was set.
    """
    slower = max(learned_every or 0.0, crawl_delay or 0.0)
    if slower <= limits.every_seconds:
        return limits
    return Limits(slower, 1, limits.in_flight)


def full_debt(limits: Limits) -> float:
    """How far ahead `due_at` is when the burst is used up."""
    return limits.burst * limits.every_seconds


def bounded(limits: Limits, pace: Pace, now: float) -> Pace:
    """The pace, with a `due_at` that these limits can explain.

    One that is further ahead was set by slower limits that are gone, or before the clock was set
    back. The lane then counts as having used up its burst just now, which never lets too many
    start. The result has to be saved, or the lane would start waiting again at each claim.
    """
    furthest = now + full_debt(limits)
    if not limits.every_seconds or pace.due_at <= furthest + _SKEW_SECONDS:
        return pace
    return msgspec.structs.replace(pace, due_at=furthest)


def allowance(limits: Limits, pace: Pace, now: float, wanted: int) -> int:
    """How many of `wanted` starts may happen now."""
    if pace.paused or (pace.cool_until is not None and pace.cool_until > now):
        return 0
    allowed = wanted
    if limits.in_flight is not None:
        allowed = min(allowed, limits.in_flight - pace.in_flight)
    if limits.every_seconds:
        ahead = max(pace.due_at - now, 0.0)
        room = full_debt(limits) - ahead + _TOLERANCE_SECONDS
        allowed = min(allowed, limits.burst, math.floor(room / limits.every_seconds))
    return max(allowed, 0)


def started(limits: Limits, pace: Pace, now: float, count: int) -> float:
    """The new `due_at` after `count` starts."""
    if not limits.every_seconds:
        return pace.due_at
    return max(pace.due_at, now) + count * limits.every_seconds


def opens_at(limits: Limits, pace: Pace, now: float) -> float:
    """When the next start may happen: `now`, a later time, or NEVER while paused.

    A full lane (in flight) opens when a request finishes; the answer is then a second from now.
    """
    if pace.paused:
        return NEVER
    opens = now
    if pace.cool_until is not None:
        opens = max(opens, pace.cool_until)
    if limits.every_seconds:
        opens = max(opens, pace.due_at - (limits.burst - 1) * limits.every_seconds)
    if limits.in_flight is not None and pace.in_flight >= limits.in_flight:
        opens = max(opens, now + 1.0)
    return opens


def hold_on(limits: Limits, pace: Pace, now: float) -> str:
    """The hold on the next start: "paused", "cooling", "full", "paced", or "" for nothing."""
    if pace.paused:
        return "paused"
    opens = opens_at(limits, pace, now)
    if opens <= now:
        return ""
    if pace.cool_until is not None and pace.cool_until >= opens:
        return "cooling"
    is_full = limits.in_flight is not None and pace.in_flight >= limits.in_flight
    return "full" if is_full else PACED


class AutoPace(msgspec.Struct, frozen=True, kw_only=True):
    """Aims at `concurrency` requests at a time: an interval of latency / concurrency."""

    concurrency: float = 1.0
    min_seconds: float = 0.0
    max_seconds: float = 60.0

    def __post_init__(self) -> None:
        if not (self.concurrency > 0 and math.isfinite(self.concurrency)):
            raise InputError(f"concurrency must be a positive number, got {self.concurrency!r}")
        if not (0 <= self.min_seconds <= self.max_seconds and math.isfinite(self.max_seconds)):
            raise InputError(
                "min_seconds and max_seconds must be positive numbers in this order, "
                f"got {self.min_seconds!r} and {self.max_seconds!r}"
            )

    def next_every(self, old: float | None, latency_seconds: float, failed: bool) -> float:
        """The interval after a response with this latency; `old` is None when nothing is known yet.

        A failure never lowers it: an error page is often quick.
        """
        aim = latency_seconds / self.concurrency
        new = aim if old is None else (old + aim) / 2
        if failed:
            new = max(new, _SLOWER * (old or _FIRST_SECONDS))
        new = min(max(new, self.min_seconds), self.max_seconds)
        return max(new, old) if failed and old is not None else new


class Strike(NamedTuple):
    """The count including this strike, and for how many seconds the lane cools down."""

    strikes: int
    seconds: float


class CoolDownCurve(msgspec.Struct, frozen=True, kw_only=True):
    """base · 2^strikes seconds, at most `cap_seconds`; jitter only lengthens it, up to the cap.

    Strikes are forgiven once the lane has been open for `forgive_seconds` without another.
    """

    base_seconds: float = 60.0
    cap_seconds: float = 86_400.0
    forgive_seconds: float = 1_800.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        for name in ("base_seconds", "cap_seconds", "forgive_seconds"):
            value = getattr(self, name)
            if not (value >= 0 and math.isfinite(value)):
                raise InputError(f"{name} must be 0 or a positive number, got {value!r}")
        if not 0 <= self.jitter <= 1:
            raise InputError(f"jitter must be between 0 and 1, got {self.jitter!r}")

    def remembered(self, strikes: int, opened_at: float | None, now: float) -> int:
        """The strikes that still count; `opened_at` is when the last cool-down ended."""
        if opened_at is not None and now - opened_at >= self.forgive_seconds:
            return 0
        return strikes

    def strike(self, strikes: int, opened_at: float | None, now: float, random: Random) -> Strike:
        """One more strike against a lane that is open."""
        before = self.remembered(strikes, opened_at, now)
        try:
            seconds = min(math.ldexp(self.base_seconds, before), self.cap_seconds)
        except OverflowError:
            seconds = self.cap_seconds
        seconds = min(seconds * (1 + self.jitter * random.random()), self.cap_seconds)
        return Strike(before + 1, seconds)


def struck(
    curve: CoolDownCurve,
    lane: tuple[int, float | None, float | None],
    now: float,
    retry_after_seconds: float | None,
    random: Random,
) -> Strike:
    """The effect of a strike on a lane (its strikes, until when it cools, when they are forgiven).
    While the lane cools, another strike counts as part of the last one.
    """
    strikes, cool_until, forgiven_at = lane
    asked = max(retry_after_seconds or 0.0, 0.0)
    left = 0.0 if cool_until is None else cool_until - now
    if left > 0:
        return Strike(strikes, max(left, asked))
    opened_at = None if forgiven_at is None else forgiven_at - curve.forgive_seconds
    counted = curve.strike(strikes, opened_at, now, random)
    return counted._replace(seconds=asked) if asked else counted
