"""What holds a lane or a scraper back, in words."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from swather.model.lane import Lane, PacedKind
from swather.model.pacing import NO_LIMITS, Limits
from swather.model.private_addresses import is_public_host
from swather.runs.reason import Reason
from swather.runs.words import clock_time, command, count, duration, rate

_DEFAULT: Final = ", the default for public hosts; --rate or @scraper(rate=...) changes it"


def holds(
    lane: Lane, *, url: str, now: datetime, run_limits: Limits = NO_LIMITS
) -> Iterator[Reason]:
    """What holds a lane back; `run_limits` are those of the run that asks."""
    run_limits = on_lane(run_limits, lane.name)
    limits = lane.limits_for(run_limits)
    if lane.paused:
        yield _paused(lane, url)
    if lane.cool_until is not None and lane.cool_until > now:
        yield _cooling(lane, lane.cool_until, url, now)
    if limits.in_flight is not None and lane.in_flight >= limits.in_flight:
        yield _full(lane, limits.in_flight, url)
    if limits.every_seconds:
        yield _paced(lane, limits, run_limits, url)


def title_of(lane: Lane) -> str:
    return f"Lane {lane.name}" if lane.kind is PacedKind.LANE else f"Scraper {lane.name}"


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


def default_pace(limits: Limits, lanes: Iterable[str], *, per_proxy: bool = False) -> str | None:
    """A note for users who set no rate, if any of these is a public host."""
    if not limits.public_only or not any(map(is_public_host, lanes)):
        return None
    return (
        f"Pace: {rate(1 / limits.every_seconds)} per public host"
        f"{' and proxy' if per_proxy else ''} (the default); "
        "--rate 20/s or @scraper(rate=...) changes it"
    )


def _paused(lane: Lane, url: str) -> Reason:
    return Reason(
        code=f"{lane.kind}_paused",
        text=f"{title_of(lane)} is paused.",
        stops=True,
        change="To resume it",
        command=_command("unpause", lane, url),
        values=_values(lane),
    )


def _cooling(lane: Lane, until: datetime, url: str, now: datetime) -> Reason:
    left = (until - now).total_seconds()
    after = f" after {lane.cool_reason}" if lane.cool_reason else ""
    again = ""
    if lane.strikes > 1:
        again = f"; the site has refused us {count(lane.strikes, 'time')} in a row"
    return Reason(
        code=f"{lane.kind}_cooling",
        text=(
            f"{title_of(lane)} is cooling down for another {duration(left)}, until "
            f"{clock_time(until, now)}{after}{again}."
        ),
        brief=f"{title_of(lane)} is cooling down for another {duration(left)}{after}.",
        stops=True,
        change="To end it now",
        command=_command("unpause", lane, url),
        values=_values(
            lane,
            until=until,
            seconds_left=round(left, 1),
            after=lane.cool_reason or None,
            strikes=lane.strikes,
        ),
    )


def _full(lane: Lane, in_flight: int, url: str) -> Reason:
    is_set = in_flight == lane.limits.in_flight
    raised = ("--in-flight", str(2 * in_flight))
    return Reason(
        code=f"{lane.kind}_full",
        text=f"{title_of(lane)} is at its limit of {in_flight} in flight.",
        change="To raise it" if is_set else "",
        command=_command("set", lane, url, *raised) if is_set else "",
        values=_values(lane, limit=in_flight, in_flight=lane.in_flight),
    )


def _paced(lane: Lane, limits: Limits, run_limits: Limits, url: str) -> Reason:
    is_set = limits.every_seconds == lane.limits.every_seconds
    per_second = 1 / limits.every_seconds
    return Reason(
        code=f"{lane.kind}_rate",
        text=f"{title_of(lane)} is limited to {_rate(lane, limits, run_limits)}.",
        brief=f"{title_of(lane)} is limited to {rate(per_second)}.",
        change=("To remove it" if lane.overrides else "To lift that limit") if is_set else "",
        command=_command("set", lane, url, "--rate", "none") if is_set else "",
        values=_values(lane, rate_per_second=per_second),
    )


def _rate(lane: Lane, limits: Limits, run_limits: Limits) -> str:
    return rate(1 / limits.every_seconds) + _origin(lane, limits, run_limits)


def _values(lane: Lane, **more: Any) -> dict[str, Any]:
    return {str(lane.kind): lane.name, **more}


def _by(lane: Lane, limits: Limits) -> str:
    if limits.every_seconds == lane.limits.every_seconds:
        return " (override)" if lane.overrides else ""
    if limits.every_seconds == lane.crawl_delay_seconds:
        return " (crawl delay)"
    if limits.every_seconds == lane.learned_every_seconds:
        return " (learned)"
    return f" (run {lane.slowest_run})"


def _origin(lane: Lane, limits: Limits, run_limits: Limits) -> str:
    """Why it is that slow, unless a limit was set."""
    if limits.every_seconds == lane.limits.every_seconds:
        return _overriding(lane, run_limits) if lane.overrides else ""
    if limits.every_seconds == lane.crawl_delay_seconds:
        return f": its robots.txt asks for a Crawl-delay of {duration(limits.every_seconds)}"
    if limits.every_seconds == lane.learned_every_seconds:
        return ", a pace learned from how fast the site answers"
    if limits.every_seconds == run_limits.every_seconds:
        return _DEFAULT if run_limits.public_only else ""
    if limits.every_seconds == lane.run_limits.every_seconds:
        return f": run {lane.slowest_run} allows no more there"
    return ""


def _overriding(lane: Lane, run_limits: Limits) -> str:
    """', set with --override (run books asks for 5/s)'."""
    said = ", set with --override"
    if run_limits.every_seconds > lane.run_limits.every_seconds:
        return f"{said} (this run asks for {rate(1 / run_limits.every_seconds)})"
    if lane.run_limits.every_seconds:
        asked = rate(1 / lane.run_limits.every_seconds)
        return f"{said} (run {lane.slowest_run} asks for {asked})"
    return said


def _command(verb: str, lane: Lane, url: str, *options: str) -> str:
    of_scraper = () if lane.kind is PacedKind.LANE else ("--scraper",)
    return command("lanes", verb, lane.name, *of_scraper, *options, url=url)
