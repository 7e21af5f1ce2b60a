"""What people change on lanes: the limits that `swather lanes set` asks for, in words, too; and the
end of what holds one back.
"""

from typing import Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.lane import Lane, PacedKind
from swather.model.pacing import MAX_COUNT, Limits, parse_rate
from swather.model.whole_number import whole_number
from swather.runs.words import rate as rate_in_words
from swather.store import Store

NONE: Final = "none"


class Naming(NamedTuple):
    """What the limits are called where they are given."""

    rate: str
    in_flight: str
    burst: str
    override: str


OPTIONS: Final = Naming("--rate", "--in-flight", "--burst", "--override")
FIELDS: Final = Naming("rate", "in_flight", "burst", "override")


class Wanted(NamedTuple):
    limits: Limits
    overrides: bool


def wanted_on(
    lane: Lane,
    rate: str | None,
    in_flight: str | None,
    burst: int | None,
    override: bool | None,
    *,
    naming: Naming = OPTIONS,
) -> Wanted:
    """What is not named stays as it is."""
    limits = _changed(lane.limits, rate, in_flight, burst, naming)
    if limits.are_none:
        if override:
            raise InputError(
                f"{naming.override} needs a limit, and {lane.kind} {lane.name} has none; "
                f"pass {naming.rate} 20/s or {naming.in_flight} 16"
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


def _changed(
    limits: Limits, rate: str | None, in_flight: str | None, burst: int | None, naming: Naming
) -> Limits:
    if rate == "auto":
        raise InputError(
            f"auto is only for scrapers, @scraper(rate='auto'); for a lane, pass {naming.rate} 2/s"
        )
    every = limits.every_seconds
    if rate is not None:
        every = 0.0 if rate == NONE else parse_rate(rate)
    if burst is not None and not every:
        raise InputError(f"{naming.burst} needs a rate; pass {naming.rate} as well")
    return msgspec.structs.replace(
        limits,
        every_seconds=every,
        burst=(burst or limits.burst) if every else 1,
        in_flight=limits.in_flight if in_flight is None else _in_flight(in_flight, naming),
    )


def _in_flight(text: str, naming: Naming) -> int | None:
    if text == NONE:
        return None
    number = whole_number(text)
    if number is None or not 1 <= number <= MAX_COUNT:
        raise InputError(
            f"{naming.in_flight} takes a whole number from 1 to {MAX_COUNT:,}, or none, "
            f"got {text!r:.80}"
        )
    return number
