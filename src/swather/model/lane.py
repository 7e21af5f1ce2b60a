"""Lanes and scrapers as paced things."""

from datetime import datetime
from enum import StrEnum

import msgspec

from swather.model.pacing import NO_LIMITS, Limits


class PacedKind(StrEnum):
    """Limits attach to a lane, or to everything a scraper does."""

    LANE = "lane"
    SCRAPER = "scraper"


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """A lane (or a scraper) with the limits set on it and what holds it back."""

    name: str
    kind: PacedKind
    limits: Limits
    paused: bool
    cool_until: datetime | None
    cool_reason: str
    in_flight: int


def free_lane(name: str, kind: PacedKind) -> Lane:
    """A lane nobody has limited yet."""
    return Lane(
        name=name,
        kind=kind,
        limits=NO_LIMITS,
        paused=False,
        cool_until=None,
        cool_reason="",
        in_flight=0,
    )
