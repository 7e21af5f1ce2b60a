"""What holds a lane or a scraper back, in words."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from swather.model.lane import Lane, PacedKind
from swather.model.pacing import NO_LIMITS, Limits, strictest
from swather.model.private_addresses import is_public_host
from swather.runs.words import command, count, duration, rate, time_ahead

_DEFAULT: Final = ", the default for public hosts; --rate or @scraper(rate=...) changes it"


def holds(lane: Lane, *, url: str, now: datetime, run_limits: Limits = NO_LIMITS) -> Iterator[str]:
    """Sentences on what holds a lane back; `run_limits` are those of the run that asks."""
    title = title_of(lane)
    run_limits = on_lane(run_limits, lane.name)
    limits = strictest(lane.in_force, run_limits)
    if lane.paused:
        yield f"{title} is paused; to let it go on: {_command('unpause', lane, url)}"
    if lane.cool_until is not None and lane.cool_until > now:
        yield f"{title} is cooling until {time_ahead(lane.cool_until, now)}{_cause(lane)}."
    if limits.in_flight is not None and lane.in_flight >= limits.in_flight:
        yield f"{title} is full: {lane.in_flight} of {limits.in_flight} in flight."
    if limits.every_seconds:
        origin = _origin(lane, limits, run_limits)
        yield f"{title} is held to {rate(1 / limits.every_seconds)}{origin}."


def title_of(lane: Lane) -> str:
    return f"Lane {lane.name}" if lane.kind is PacedKind.LANE else f"The scraper {lane.name}"


def pace_of(lane: Lane) -> str | None:
    """'2/s', '30/min (crawl delay)': the rate of a lane, whichever run works on it."""
    limits = lane.in_force
    if not limits.every_seconds:
        return None
    return rate(1 / limits.every_seconds) + _by(lane, limits)


def on_lane(limits: Limits, lane: str) -> Limits:
    """A run's limits on a lane; a default rate applies only to hosts on the public web."""
    if not limits.public_only or is_public_host(lane):
        return limits
    return Limits(in_flight=limits.in_flight)


def default_pace(limits: Limits, lanes: Iterable[str]) -> str | None:
    """A note for users who set no rate, if any of these is a public host."""
    if not limits.public_only or not any(map(is_public_host, lanes)):
        return None
    return (
        f"Pace: {rate(1 / limits.every_seconds)} per public host (the default); "
        "--rate 20/s or @scraper(rate=...) changes it"
    )


def _by(lane: Lane, limits: Limits) -> str:
    if limits.every_seconds == lane.limits.every_seconds:
        return ""
    if limits.every_seconds == lane.crawl_delay_seconds:
        return " (crawl delay)"
    if limits.every_seconds == lane.learned_every_seconds:
        return " (learned)"
    return f" (run {lane.slowest_run})"


def _cause(lane: Lane) -> str:
    after = f" after {lane.cool_reason}" if lane.cool_reason else ""
    if lane.strikes < 2:
        return after
    return f"{after}; the site has refused us {count(lane.strikes, 'time')} in a row"


def _origin(lane: Lane, limits: Limits, run_limits: Limits) -> str:
    """Why it is that slow, unless a limit was set."""
    if limits.every_seconds == lane.limits.every_seconds:
        return ""
    if limits.every_seconds == lane.crawl_delay_seconds:
        return f": its robots.txt asks for a Crawl-delay of {duration(limits.every_seconds)}"
    if limits.every_seconds == lane.learned_every_seconds:
        return ": the pace that was learned from how fast the site answers"
    if limits.every_seconds == run_limits.every_seconds:
        return _DEFAULT if run_limits.public_only else ""
    if limits.every_seconds == lane.run_limits.every_seconds:
        return f": run {lane.slowest_run} allows no more there"
    return ""


def _command(verb: str, lane: Lane, url: str) -> str:
    of_scraper = () if lane.kind is PacedKind.LANE else ("--scraper",)
    return command("lanes", verb, lane.name, *of_scraper, url=url)
