"""What a person should know about limits that were set on a lane: what scrapers ask for there, and
which of the two applies.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from swather.model.lane import Lane, PacedKind
from swather.model.pacing import Limits
from swather.runs.lane_words import on_lane
from swather.runs.words import command, duration, rate
from swather.store import Store

_MANY: Final = 1_000


def notes_on(lane: Lane, *, url: str) -> Iterator[str]:
    """After limits were set, in full sentences."""
    if lane.kind is PacedKind.SCRAPER:
        yield from _on_scraper(lane)
        return
    yield from _on_rate(lane, url)
    yield from _on_in_flight(lane, url)
    if lane.overrides:
        undo = command("lanes", "set", lane.name, "--no-override", url=url)
        yield (
            f"note: this replaces what scrapers ask for on lane {lane.name}, in every run, until "
            f"{undo}; a Crawl-delay, cool-downs and circuit breakers still apply"
        )


def overriding(store: Store, lanes: Iterable[str]) -> list[Lane]:
    """Those of these lanes whose rate was set with --override."""
    wanted = set(lanes)
    found = store.lanes.find(limit=_MANY) if wanted else []
    return [
        lane
        for lane in found
        if lane.name in wanted and lane.kind is PacedKind.LANE and lane.overrides_rate
    ]


def pace_note(lane: Lane, run_limits: Limits) -> str:
    """For a run that starts on a lane whose rate was set with --override."""
    asked = on_lane(run_limits, lane.name).every_seconds
    own = f"; this scraper asks for {rate(1 / asked)}" if asked else ""
    every = lane.in_force.every_seconds
    return f"Pace: {rate(1 / every)} on lane {lane.name}, set with lanes set --override{own}"


def _on_scraper(lane: Lane) -> Iterator[str]:
    if not lane.overrides:
        yield (
            f"note: the next run of {lane.name} sets the limits in its decorator again; pass "
            "--override to keep these"
        )


def _on_rate(lane: Lane, url: str) -> Iterator[str]:
    every, runs_at = lane.limits.every_seconds, rate_of(lane.in_force)
    if not every:
        return
    learned = lane.learned_every_seconds or 0.0
    asked = max(lane.run_limits.every_seconds, learned)
    if lane.crawl_delay_seconds and lane.in_force.every_seconds == lane.crawl_delay_seconds > every:
        yield (
            f"note: robots.txt of {lane.name} asks for a Crawl-delay of "
            f"{duration(lane.crawl_delay_seconds)}, which always applies: the lane runs at "
            f"{runs_at}"
        )
    elif asked > every:
        is_learned = learned > lane.run_limits.every_seconds
        who = "the learned pace is" if is_learned else f"run {lane.slowest_run} asks for"
        if lane.overrides:
            yield f"warning: {who} {rate(1 / asked)}; lane {lane.name} now runs at {runs_at}"
        else:
            faster = command("lanes", "set", lane.name, "--override", url=url)
            yield (
                f"note: {who} {rate(1 / asked)}, and the strictest limit applies: lane {lane.name} "
                f"runs at {runs_at}; to go faster: {faster}"
            )


def _on_in_flight(lane: Lane, url: str) -> Iterator[str]:
    most, asked = lane.limits.in_flight, lane.run_limits.in_flight
    if most is None or asked is None or asked >= most:
        return
    who = f"a run on lane {lane.name} asks for at most {asked} in flight"
    if lane.overrides:
        yield f"warning: {who}; the lane now has up to {most}"
    else:
        more = command("lanes", "set", lane.name, "--override", url=url)
        yield f"note: {who}, and the strictest limit applies; to allow {most}: {more}"


def rate_of(limits: Limits) -> str | None:
    return rate(1 / limits.every_seconds) if limits.every_seconds else None
