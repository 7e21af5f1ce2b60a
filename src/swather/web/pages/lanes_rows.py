"""Lanes as the dashboard shows them: what holds each back comes first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

import msgspec

from swather.model.history import HistoryPoint
from swather.model.history_details import LaneAnswers
from swather.model.lane import Breaker, Lane, PacedKind
from swather.runs.lane_facts import (
    AnswersByLane,
    breakers_of,
    last_answers_of,
    share_429_in_words,
)
from swather.runs.lane_words import pace_of
from swather.runs.words import duration, rate

# In the order in which they are shown, with the state that gives each its colour.
_STATES: Final = {
    "paused": "paused",
    "cooling": "cooling",
    "breaker open": "blocked",
    "full": "scheduled",
    "paced": "paced",
    "open": "ready",
}
_ORDER: Final = tuple(_STATES)


class LaneRow(msgspec.Struct, frozen=True, kw_only=True):
    """A lane. `state` is what holds it back most, `colour` the state it is drawn as; `why` says
    more. `rate` is the one in force, `rate_by` what sets it. `most` in flight, if that is limited.
    `answers`: those of the last hour, None if there were none.
    """

    name: str
    kind: str
    state: str
    why: str
    rate: str
    rate_by: str
    in_flight: int
    most: int | None
    cool_until: datetime | None
    strikes: int
    paused: bool
    answers: LaneAnswers | None

    @property
    def colour(self) -> str:
        return _STATES[self.state]

    @property
    def fields(self) -> dict[str, str]:
        return {"name": self.name, "kind": self.kind}

    @property
    def address(self) -> str:
        return f"/lanes/show?{urlencode(self.fields)}"

    @property
    def share_429(self) -> str:
        return share_429_in_words(self.answers) or ""

    @property
    def is_held(self) -> bool:
        """Whether nothing starts on it until somebody or some time changes that."""
        return self.state in ("paused", "cooling", "breaker open")


def rows_of(
    lanes: Iterable[Lane], breakers: Sequence[Breaker], answers: AnswersByLane, now: datetime
) -> list[LaneRow]:
    rows = [row_of(lane, breakers, answers, now) for lane in lanes]
    return sorted(rows, key=lambda row: (_ORDER.index(row.state), -row.in_flight, row.name))


def row_of(
    lane: Lane, breakers: Iterable[Breaker], answers: AnswersByLane, now: datetime
) -> LaneRow:
    limits = lane.in_force
    opened = breakers_of(lane, breakers) if lane.kind is PacedKind.LANE else []
    cool_until = lane.cool_until if lane.cool_until and lane.cool_until > now else None
    own_rate = rate(1 / limits.every_seconds) if limits.every_seconds else ""
    rate_by = (pace_of(lane) or "").removeprefix(own_rate).strip(" ()")
    state, why = "open", ""
    if lane.paused:
        state = "paused"
    elif cool_until is not None:
        state, why = "cooling", f"after {lane.cool_reason}" if lane.cool_reason else ""
    elif opened:
        first = opened[0]
        state, why = "breaker open", f"for {first.scraper}, {duration(first.open_seconds)}"
    elif limits.in_flight is not None and lane.in_flight >= limits.in_flight:
        state = "full"
    elif limits.every_seconds:
        state = "paced"
    return LaneRow(
        name=lane.name,
        kind=str(lane.kind),
        state=state,
        why=why,
        rate=own_rate,
        rate_by=rate_by,
        in_flight=lane.in_flight,
        most=limits.in_flight,
        cool_until=cool_until,
        strikes=lane.strikes,
        paused=lane.paused,
        answers=last_answers_of(lane, answers),
    )


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """How sites have answered a run lately: the shares of some statuses."""

    run: str
    too_many: float
    unavailable: float
    forbidden: float


def answers_of(run: str, points: Sequence[HistoryPoint]) -> Answers | None:
    """None if there was no response."""
    counts: Counter[str] = Counter()
    for point in points:
        counts.update({each: n * point.seconds for each, n in point.statuses.items()})
    total = sum(counts.values())
    if not total:
        return None
    return Answers(
        run=run,
        too_many=counts["429"] / total,
        unavailable=counts["503"] / total,
        forbidden=counts["403"] / total,
    )
