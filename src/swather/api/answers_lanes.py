"""Answers about lanes, and what is wanted of them."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from swather.api.answers import Answer, Given, Reason


class Breaker(Answer):
    """A scraper fails on a lane: only one task at a time is tried there."""

    scraper: str
    lane: str


class LaneAnswers(Answer):
    """How a lane has answered scrapers' own requests in all runs, without robots.txt."""

    answers: int = Field(examples=[1200])
    too_many_requests: int = Field(description="answers with 429", examples=[18])
    share_429: float = Field(description="from 0 to 1", examples=[0.015])
    is_about: bool = Field(
        description="some answers of lanes with few were not told apart, and may be missing",
        examples=[False],
    )


class Lane(Answer):
    """How fast a lane goes, and what holds it back. `lane` or `scraper` names it, by its kind."""

    lane: str | None = None
    scraper: str | None = None
    kind: str = Field(examples=["lane"])
    rate: str | None = Field(description="the limit set for it", examples=["2/s"])
    burst: int = Field(examples=[1])
    max_in_flight: int | None = Field(examples=[4])
    in_flight: int = Field(examples=[2])
    every_seconds: float | None = Field(description="in force now", examples=[0.5])
    crawl_delay_seconds: float | None = Field(examples=[None])
    learned_every_seconds: float | None = Field(examples=[None])
    overrides: bool = Field(description="its limits replace those of scrapers", examples=[False])
    runs_rate: str | None = Field(description="what runs ask for", examples=["5/s"])
    runs_max_in_flight: int | None = Field(examples=[None])
    slowest_run: str | None = Field(examples=["20260215_120000-books"])
    paused: bool = Field(examples=[False])
    cool_until: datetime | None = Field(examples=[None])
    cool_reason: str | None = Field(examples=["HTTP 429"])
    strikes: int = Field(examples=[0])
    breakers: list[Breaker]
    last_hour: LaneAnswers | None = Field(description="null if it has not answered")


class LaneNote(Answer):
    """What a person should know who has named this lane, or set these limits."""

    text: str = Field(examples=["nothing has used lane 'exmple.com'; did you mean 'example.com'?"])
    is_warning: bool = Field(examples=[False])
    change: str = Field(description="what the command does", examples=["to go faster"])
    command: str = Field(examples=["swather lanes set example.com --override"])


class NotedLane(Lane):
    """A lane, and what a person should know about it."""

    notes: list[LaneNote]


class LaneDetail(NotedLane):
    """A lane, and what holds it back in words."""

    reasons: list[Reason]


class Limits(Given):
    """What is not named stays as it is; "none" removes a limit."""

    rate: str | None = Field(
        default=None, max_length=50, description="5/s, 30/min, 1/2s, or none", examples=["2/s"]
    )
    in_flight: int | Annotated[str, Field(max_length=20)] | None = Field(
        default=None, description="targets at once, or none", examples=[4]
    )
    burst: int | None = Field(default=None, ge=1, le=1_000_000, examples=[5])
    override: bool | None = Field(
        default=None, description="replace what scrapers ask for, even to go faster"
    )


class Cool(Given):
    """For how long to leave a lane alone."""

    seconds: float = Field(gt=0, le=31_536_000, examples=[600])
