"""What holds a lane, or all work of a scraper, back: in words."""

from collections.abc import Iterator
from datetime import datetime

from swather.model.lane import Lane, PacedKind
from swather.model.pacing import NO_LIMITS, Limits, strictest
from swather.runs.words import command, count, duration, rate, time_ahead


def held_by(
    lane: Lane, *, url: str, now: datetime, run_limits: Limits = NO_LIMITS
) -> Iterator[str]:
    """Sentences on a lane whose targets are also held to what their run says."""
    title = title_of(lane)
    limits = strictest(lane.in_force, run_limits)
    if lane.paused:
        yield f"{title} is paused; to let it go on: {_command('unpause', lane, url)}"
    if lane.cool_until is not None and lane.cool_until > now:
        yield f"{title} is cooling until {time_ahead(lane.cool_until, now)}{_cause(lane)}."
    if limits.in_flight is not None and lane.in_flight >= limits.in_flight:
        yield f"{title} is full: {lane.in_flight} of {limits.in_flight} in flight."
    if limits.every_seconds:
        yield f"{title} is held to {rate(1 / limits.every_seconds)}{_origin(lane, limits)}."


def title_of(lane: Lane) -> str:
    return f"Lane {lane.name}" if lane.kind is PacedKind.LANE else f"The scraper {lane.name}"


def pace_of(lane: Lane) -> str | None:
    """'2/s', '30/min (crawl delay)': the rate that is in force on a lane, whoever works on it."""
    limits = lane.in_force
    if not limits.every_seconds:
        return None
    by = " (crawl delay)" if limits.every_seconds == lane.crawl_delay_seconds else " (learned)"
    set_one = limits.every_seconds == lane.limits.every_seconds
    return rate(1 / limits.every_seconds) + ("" if set_one else by)


def _cause(lane: Lane) -> str:
    after = f" after {lane.cool_reason}" if lane.cool_reason else ""
    if lane.strikes < 2:
        return after
    return f"{after}; the site has refused us {count(lane.strikes, 'time')} in a row"


def _origin(lane: Lane, limits: Limits) -> str:
    """Why it is that slow, unless somebody has set it so."""
    if limits.every_seconds == lane.limits.every_seconds:
        return ""
    if limits.every_seconds == lane.crawl_delay_seconds:
        return f": its robots.txt asks for a Crawl-delay of {duration(limits.every_seconds)}"
    if limits.every_seconds == lane.learned_every_seconds:
        return ": the pace that was learned from how fast the site answers"
    return ""


def _command(verb: str, lane: Lane, url: str) -> str:
    of_scraper = () if lane.kind is PacedKind.LANE else ("--scraper",)
    return command("lanes", verb, lane.name, *of_scraper, url=url)
