"""How fast a run goes, when it will be over, and which limit decides that."""

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from swather.model.lane import Lane
from swather.model.pacing import NO_LIMITS, Limits
from swather.model.run import RunState
from swather.runs.lane_words import on_lane, title_of
from swather.runs.situation import Situation
from swather.runs.words import duration, rate

# A limit decides the estimate if at the present rate the run would not take longer by so much.
_DECIDES: Final = 1.15


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """`eta_seconds`: None while it is unknown; `limited_by`: what makes it that long, in words."""

    rate_per_second: float | None = None
    eta_seconds: float | None = None
    limited_by: str = ""


class _Bound(NamedTuple):
    """The run takes at least so long, because of this."""

    seconds: float
    why: str


def pace_of_run(situation: Situation, sampled_rate: float | None) -> Pace:
    """`sampled_rate` counts where no worker tells its own."""
    measured = _measured_rate(situation, sampled_rate)
    if situation.run.state is not RunState.OPEN:
        return Pace()
    if not situation.counts.unfinished:
        return Pace(rate_per_second=measured, eta_seconds=None if situation.producers else 0.0)
    bound = _slowest(situation, measured)
    if bound is None:
        return Pace(rate_per_second=measured)
    return Pace(rate_per_second=measured, eta_seconds=bound.seconds, limited_by=bound.why)


def _measured_rate(situation: Situation, sampled_rate: float | None) -> float | None:
    """What the live workers do, each at its own rate: who has died does no more."""
    telling = [worker for worker in situation.able if worker.rate_per_second is not None]
    if not telling:
        return sampled_rate
    return sum(0.0 if worker.is_still else worker.rate_per_second or 0.0 for worker in telling)


def _slowest(situation: Situation, measured: float | None) -> _Bound | None:
    """What takes longest; None if it is unknown how long something takes."""
    if situation.run.paused or situation.producers or not situation.able:
        return None
    if situation.breakers or situation.is_out_of_proxies:
        return None
    bounds = list(_bounds(situation, is_moving=bool(measured)))
    if any(math.isinf(bound.seconds) for bound in bounds):
        return None
    longest = max(bounds, default=_Bound(0.0, ""))
    if measured:
        seconds = situation.counts.unfinished / measured
        if longest.seconds * _DECIDES >= seconds:
            return _Bound(max(seconds, longest.seconds), longest.why)
        return _Bound(seconds, _shared_lane(situation, measured) or _usual(situation))
    # Nothing moves: only what keeps everything from starting says when something will.
    return longest if longest.seconds > 0 and not situation.running else None


def _bounds(situation: Situation, *, is_moving: bool) -> Iterator[_Bound]:
    counts, now = situation.counts, situation.now
    last = situation.waiting.last_due_at
    # While nothing moves, a retry says nothing about tasks that are ready.
    if last is not None and last > now and (is_moving or not counts.ready):
        yield _Bound((last - now).total_seconds(), "the last task that waits to retry")
    yield from _bound_by(situation, situation.scraper, NO_LIMITS, counts.unfinished, is_moving)
    tasks = tasks_by_lane(situation)
    for lane in situation.lanes:
        limits = on_lane(situation.run.total_limits, lane.name)
        yield from _bound_by(situation, lane, limits, tasks.get(lane.name, 0.0), is_moving)


def _bound_by(
    situation: Situation, lane: Lane, run_limits: Limits, tasks: float, is_moving: bool
) -> Iterator[_Bound]:
    if not tasks:
        return
    limits = lane.limits_for(run_limits)
    cooling = 0.0
    if lane.cool_until is not None and lane.cool_until > situation.now:
        cooling = (lane.cool_until - situation.now).total_seconds()
    title = title_of(lane)[0].lower() + title_of(lane)[1:]
    cools = f"{title}, cooling down for another {duration(cooling)}"
    if lane.paused:
        yield _Bound(math.inf, "")
    elif cooling and not is_moving:
        paced = tasks * limits.every_seconds
        yield _Bound(cooling + max(paced, _seconds_for(situation, limits, tasks)), cools)
    elif limits.every_seconds:
        at_rate = f"{title} at {rate(1 / limits.every_seconds)}"
        yield _Bound(cooling + tasks * limits.every_seconds, cools if cooling else at_rate)
    elif cooling:
        yield _Bound(cooling, cools)


def _seconds_for(situation: Situation, limits: Limits, tasks: float) -> float:
    """How long tasks will take once they may start, by how fast they went before."""
    if before := sum(worker.rate_per_second or 0.0 for worker in situation.able):
        return situation.counts.unfinished / before
    slots = sum(worker.slots for worker in situation.able)
    at_once = min(slots, limits.in_flight or slots)
    average = _average_seconds(situation)
    return tasks * average / at_once if at_once and average else math.inf


def tasks_by_lane(situation: Situation) -> dict[str, float]:
    """How many wait on each lane. Those that were not counted are shared out to lanes that have
    more than was counted.
    """
    lanes, counts = situation.waiting.lanes, situation.counts
    counted = {lane.lane: float(lane.ready + lane.scheduled) for lane in lanes}
    beyond = [lane.lane for lane in lanes if not lane.is_counted]
    if len(lanes) == 1 and situation.waiting.has_all_lanes:
        return {lanes[0].lane: float(counts.unfinished)}
    if beyond and situation.waiting.has_all_lanes:
        more = max(counts.waiting - sum(counted.values()), 0.0) / len(beyond)
        for lane in beyond:
            counted[lane] += more
    return counted


def _average_seconds(situation: Situation) -> float:
    """How long a target takes, over all workers."""
    known = [
        (worker.average_seconds, worker.completed + worker.failed + worker.retried)
        for worker in situation.workers
        if worker.average_seconds
    ]
    attempts = sum(number for _, number in known)
    return sum(seconds * number for seconds, number in known) / attempts if attempts else 0.0


def _shared_lane(situation: Situation, measured: float) -> str:
    """The lane whose rate other runs take their part of: this one has no less than its share."""
    for lane in situation.lanes:
        every = lane.limits_for(on_lane(situation.run.total_limits, lane.name)).every_seconds
        runs = lane.limiting_runs
        if runs > 1 and every and measured * runs * _DECIDES >= 1 / every:
            return f"lane {lane.name} at {rate(1 / every)}, shared by {runs:,} runs"
    return ""


def _usual(situation: Situation) -> str:
    """Why it goes no faster than it does, where no rate decides."""
    for lane in situation.lanes:
        limits = lane.limits_for(on_lane(situation.run.total_limits, lane.name))
        if limits.in_flight is not None and lane.in_flight >= limits.in_flight:
            return f"lane {lane.name} with {limits.in_flight} in flight"
    slots, busy = sum(w.slots for w in situation.able), sum(w.busy for w in situation.able)
    return f"concurrency: {slots} of {slots} slots busy" if slots and busy >= slots else ""
