"""How long waiting work will take with so many workers, and what decides that.

Every limit gives a time below which the work cannot end: the pace of a lane, how many may be in
flight there, a cool-down, the slots, the worker that owns most, the last retry. The longest of
them is the estimate. What was measured of earlier targets makes it whole; without that it is only
the least that the limits allow, and says so.
"""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from swather.model.lane import PacedKind
from swather.model.pacing import NO_LIMITS, Limits


class Decides(StrEnum):
    """What makes an estimate as long as it is."""

    NOTHING = "nothing"
    RATE = "rate"
    IN_FLIGHT = "in_flight"
    COOLING = "cooling"
    SLOTS = "slots"
    WORKER = "worker"
    RETRY = "retry"
    PAUSED = "paused"
    BREAKER = "breaker"
    PROXIES = "proxies"
    UNKNOWN = "unknown"


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What earlier attempts have shown, each on average: the seconds and requests of an attempt,
    and how many attempts a target took.
    """

    attempts: int
    seconds: float
    requests: float = 1.0
    attempts_per_target: float = 1.0


class PacedWork(msgspec.Struct, frozen=True, kw_only=True):
    """Targets that a lane or a scraper paces as one, under the limits in force. Nothing starts for
    `cooling_seconds`; with `held`, nobody knows until when.
    """

    name: str
    kind: PacedKind = PacedKind.LANE
    targets: float
    limits: Limits = NO_LIMITS
    cooling_seconds: float = 0.0
    held: Decides | None = None


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """The work that waits and the workers that will do it.

    targets         all of them; those on the lanes of `paced` among them
    own             how many belong to each worker, by its number, where partitions have owners
    slots           of one worker
    delay_seconds   between two targets of a slot, on average
    retry_seconds   until the last target that waits to be retried is due
    """

    targets: int
    workers: int
    slots: int
    paced: tuple[PacedWork, ...] = ()
    own: tuple[int, ...] = ()
    delay_seconds: float = 0.0
    retry_seconds: float = 0.0
    measured: Measured | None = None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` is None if it cannot be told. `is_least`: nothing was measured, so it is only what
    the limits allow at best. `name` and `value` are those of the limit that decides: a lane and its
    starts per second, a worker and its targets.
    """

    seconds: float | None
    decides: Decides
    is_least: bool = False
    kind: PacedKind | None = None
    name: str = ""
    value: float = 0.0


def estimate(outlook: Outlook) -> Estimate:
    """Pure: the same for the same outlook."""
    if not outlook.targets:
        return Estimate(seconds=0.0, decides=Decides.NOTHING)
    for work in outlook.paced:
        if work.held is not None and work.targets:
            return Estimate(seconds=None, decides=work.held, kind=work.kind, name=work.name)
    bounds = [*_of_workers(outlook), *_of_paced(outlook)]
    if outlook.retry_seconds > 0:
        bounds.append(Estimate(seconds=outlook.retry_seconds, decides=Decides.RETRY))
    longest = max(bounds, key=lambda bound: bound.seconds or 0.0, default=None)
    if longest is None or not longest.seconds:
        return Estimate(seconds=None, decides=Decides.UNKNOWN)
    return msgspec.structs.replace(longest, is_least=outlook.measured is None)


def _of_workers(outlook: Outlook) -> Iterator[Estimate]:
    """What slots take: all of them together, and those of the worker that owns most."""
    measured = outlook.measured
    each = (0.0 if measured is None else measured.seconds) + outlook.delay_seconds
    seconds = each * _attempts(outlook)
    if not seconds:
        return
    slots = outlook.workers * outlook.slots
    yield Estimate(
        seconds=_in_turns(outlook.targets, slots) * seconds, decides=Decides.SLOTS, value=slots
    )
    if outlook.own:
        most = max(range(len(outlook.own)), key=lambda number: outlook.own[number])
        targets = outlook.own[most]
        yield Estimate(
            seconds=_in_turns(targets, outlook.slots) * seconds,
            decides=Decides.WORKER,
            name=str(most),
            value=targets,
        )


def _of_paced(outlook: Outlook) -> Iterator[Estimate]:
    measured = outlook.measured
    one = 0.0 if measured is None else measured.seconds
    requests = max(1.0 if measured is None else measured.requests, 1.0)
    for work in outlook.paced:
        limits, attempts = work.limits, work.targets * _attempts(outlook)
        if not attempts:
            continue
        # A lane is paced by requests, a scraper by the targets that it starts.
        starts = attempts * (requests if work.kind is PacedKind.LANE else 1.0)
        paced = max(starts - limits.burst, 0.0) * limits.every_seconds
        in_flight = 0.0
        if limits.in_flight is not None:
            at_once = min(limits.in_flight, outlook.workers * outlook.slots)
            in_flight = max(_in_turns(attempts, at_once) - 1, 0.0) * one
        longest = max(paced, in_flight)
        if work.cooling_seconds > longest:
            decides, value = Decides.COOLING, work.cooling_seconds
        elif paced >= in_flight:
            decides, value = Decides.RATE, 1 / limits.every_seconds if limits.every_seconds else 0.0
        else:
            decides, value = Decides.IN_FLIGHT, float(limits.in_flight or 0)
        # The last that starts still has to end.
        seconds = work.cooling_seconds + longest + (one if work.cooling_seconds + longest else 0.0)
        yield Estimate(
            seconds=seconds, decides=decides, kind=work.kind, name=work.name, value=value
        )


def _attempts(outlook: Outlook) -> float:
    """Attempts per target, retries among them."""
    return 1.0 if outlook.measured is None else max(outlook.measured.attempts_per_target, 1.0)


def _in_turns(targets: float, at_once: int) -> float:
    """How often `at_once` of them start together; many of them need no whole number."""
    turns = targets / at_once
    return max(turns, 1.0)
