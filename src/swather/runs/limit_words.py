"""What a person should know about limits that were set on a lane: what scrapers ask for there, and
which of the two applies.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from swather.model.lane import Lane, PacedKind
from swather.model.pacing import Limits
from swather.runs.lane_words import on_lane
from swather.runs.selection import unknown_lanes
from swather.runs.words import command, duration, rate
from swather.store import Store

_MANY: Final = 1_000


class LaneNote(msgspec.Struct, frozen=True, kw_only=True):
    """What a person should know who has named a lane; `command` changes it, and `change` is what
    that command does.
    """

    text: str
    is_warning: bool = False
    change: str = ""
    command: str = ""

    @property
    def in_words(self) -> str:
        said = f"{'warning' if self.is_warning else 'note'}: {self.text}"
        return f"{said}; {self.change}: {self.command}" if self.command else said


def notes_on_name(store: Store, name: str, kind: PacedKind) -> Iterator[LaneNote]:
    """To name a lane before its first target is no mistake, but a typo is one."""
    scrapers = kind is PacedKind.SCRAPER
    for said in unknown_lanes(store, [name], scrapers=scrapers, said="nothing has used"):
        if "did you mean" in said:
            yield LaneNote(text=said)


def notes_on(lane: Lane, *, url: str) -> Iterator[LaneNote]:
    """After limits were set."""
    if lane.kind is PacedKind.SCRAPER:
        yield from _on_scraper(lane)
        return
    yield from _on_rate(lane, url)
    yield from _on_in_flight(lane, url)
    if lane.overrides:
        yield LaneNote(
            text=(
                f"this replaces what scrapers ask for on lane {lane.name}, in every run; a "
                "Crawl-delay, cool-downs and circuit breakers still apply"
            ),
            change="to end it",
            command=command("lanes", "set", lane.name, "--no-override", url=url),
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


def _on_scraper(lane: Lane) -> Iterator[LaneNote]:
    if not lane.overrides:
        yield LaneNote(
            text=(
                f"the next run of {lane.name} sets the limits in its decorator again; pass "
                "--override to keep these"
            )
        )


def _on_rate(lane: Lane, url: str) -> Iterator[LaneNote]:
    every, runs_at = lane.limits.every_seconds, rate_of(lane.in_force)
    if not every:
        return
    learned = lane.learned_every_seconds or 0.0
    asked = max(lane.run_limits.every_seconds, learned)
    if lane.crawl_delay_seconds and lane.in_force.every_seconds == lane.crawl_delay_seconds > every:
        yield LaneNote(
            text=(
                f"robots.txt of {lane.name} asks for a Crawl-delay of "
                f"{duration(lane.crawl_delay_seconds)}, which always applies: the lane runs at "
                f"{runs_at}"
            )
        )
    elif asked > every:
        is_learned = learned > lane.run_limits.every_seconds
        who = "the learned pace is" if is_learned else f"run {lane.slowest_run} asks for"
        if lane.overrides:
            yield LaneNote(
                text=f"{who} {rate(1 / asked)}; lane {lane.name} now runs at {runs_at}",
                is_warning=True,
            )
        else:
            yield LaneNote(
                text=(
                    f"{who} {rate(1 / asked)}, and the strictest limit applies: lane {lane.name} "
                    f"runs at {runs_at}"
                ),
                change="to go faster",
                command=command("lanes", "set", lane.name, "--override", url=url),
            )


def _on_in_flight(lane: Lane, url: str) -> Iterator[LaneNote]:
    most, asked = lane.limits.in_flight, lane.run_limits.in_flight
    if most is None or asked is None or asked >= most:
        return
    who = f"a run on lane {lane.name} asks for at most {asked} in flight"
    if lane.overrides:
        yield LaneNote(text=f"{who}; the lane now has up to {most}", is_warning=True)
    else:
        yield LaneNote(
            text=f"{who}, and the strictest limit applies",
            change=f"to allow {most}",
            command=command("lanes", "set", lane.name, "--override", url=url),
        )


def rate_of(limits: Limits) -> str | None:
    return rate(1 / limits.every_seconds) if limits.every_seconds else None
