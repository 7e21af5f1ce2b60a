"""Answers about registered scrapers."""

from typing import Any

from pydantic import Field

from swather.api.answers import Answer


class ScraperRow(Answer):
    """A scraper that is registered where the server runs; `summary` says why one cannot be
    loaded.
    """

    scraper: str
    execution_mode: str = Field(examples=["single"])
    where: str = Field(examples=["swather.toml"])
    summary: str = Field(examples=["Titles of books."])


class Scraper(Answer):
    """A registered scraper, and the parameters that a run of it takes."""

    scraper: str
    summary: str = Field(examples=["Titles of books."])
    execution_mode: str = Field(examples=["single"])
    has_targets: bool = Field(
        description="whether a run without targets gets those it is registered with"
    )
    params: dict[str, Any] = Field(
        description="a JSON schema",
        examples=[{"type": "object", "properties": {"pages": {"type": "integer", "default": 3}}}],
    )
