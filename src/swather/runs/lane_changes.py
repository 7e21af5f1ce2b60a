"""What people change on lanes: the limits that `swather lanes set` asks for, in words, too; and the
end of what holds one back.
"""

from typing import Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.lane import Lane, PacedKind
from swather.model.pacing import Limits, parse_rate
from swather.runs.words import rate as rate_in_words
from swather.store import Store

NONE: Final = "none"


class Wanted(NamedTuple):
    limits: Limits
    overrides: bool


def wanted_on(
    lane: Lane, rate: str | None, in_flight: str | None, burst: int | None, override: bool | None
) -> Wanted:
    """What is not named stays as it is."""
    limits = _changed(lane.limits, rate, in_flight, burst)
    if limits.are_none:
        if override:
            raise InputError(
                f"--override needs a limit, and {lane.kind} {lane.name} has none; "
                "pass --rate 20/s or --in-flight 16"
            )
        return Wanted(limits, overrides=False)
    # A process of an older release removes limits without this flag.
    before = lane.overrides and not lane.limits.are_none
    return Wanted(limits, before if override is None else override)


def resume_lane(store: Store, name: str, kind: PacedKind) -> None:
    """End a pause or a cool-down, and close open breakers; limits stay as they are."""
    store.lanes.unpause(name, kind)
    which = {"lane": name} if kind is PacedKind.LANE else {"scraper": name}
    for breaker in store.breakers.find(**which):
        store.breakers.close(breaker.scraper, breaker.lane)


def in_words(lane: Lane) -> str:
    limits, said = lane.limits, []
    if limits.every_seconds:
        at_once = f", {limits.burst} at once" if limits.burst > 1 else ""
        said.append(rate_in_words(1 / limits.every_seconds) + at_once)
    if limits.in_flight is not None:
        said.append(f"at most {limits.in_flight} in flight")
    if lane.overrides:
        said.append("whatever scrapers ask for")
    return ", ".join(said) or "no limits"


def _changed(limits: Limits, rate: str | None, in_flight: str | None, burst: int | None) -> Limits:
    if rate == "auto":
        raise InputError(
            "auto is only for scrapers, @scraper(rate='auto'); for a lane, pass --rate 2/s"
        )
    every = limits.every_seconds
    if rate is not None:
        every = 0.0 if rate == NONE else parse_rate(rate)
    if burst is not None and not every:
        raise InputError("--burst needs a rate; pass --rate as well")
    return msgspec.structs.replace(
        limits,
        every_seconds=every,
        burst=(burst or limits.burst) if every else 1,
        in_flight=limits.in_flight if in_flight is None else _in_flight(in_flight),
    )


def _in_flight(text: str) -> int | None:
    if text == NONE:
        return None
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 2**31):
        raise InputError(f"--in-flight takes a whole number of at least 1, or none, got {text!r}")
    return int(text)
