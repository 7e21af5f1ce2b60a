"""Answers about sources, and which to ask again."""

from pydantic import Field

from swather.api.answers import Answer, Given


class SourceBreaker(Answer):
    state: str = Field(examples=["closed"])
    failures_in_a_row: int = Field(examples=[0])
    retry_in_seconds: float = Field(examples=[0.0])
    reason: str | None = Field(examples=[None])


class SourceFailure(Answer):
    error: str = Field(examples=["HTTP 503"])
    count: int


class Source(Answer):
    """How a source has answered."""

    source: str
    scraper: str
    state: str = Field(examples=["done"])
    asked: int = Field(examples=[20])
    succeeded: int = Field(examples=[18])
    failed: int = Field(examples=[2])
    skipped: int = Field(examples=[0])
    waiting: int = Field(examples=[0])
    asking: int = Field(examples=[0])
    success_rate: float | None = Field(examples=[0.9])
    mean_seconds: float | None = Field(examples=[1.2])
    counts: dict[str, float] = Field(examples=[{"images": 80}])
    failures: list[SourceFailure]
    breaker: SourceBreaker


class ResetSource(Given):
    """The source to ask again at once, for one scraper or all."""

    source: str = Field(min_length=1, max_length=500)
    scraper: str | None = Field(default=None, max_length=500)


class SourceReset(Answer):
    source: str
    reset: list[str] = Field(description="the scrapers that ask it again", examples=[["media"]])
