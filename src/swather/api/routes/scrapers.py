"""Scrapers over HTTP: those that can be started by name, and their parameters."""

from typing import Annotated, Any

from fastapi import Path

from swather.api import answers_scrapers as answers
from swather.api.answers import shown
from swather.api.parameters import new_router
from swather.api.starting import registered_scraper
from swather.runs import configuration
from swather.scraping import registry
from swather.scraping.params_schema import params_schema
from swather.scraping.registered import registered

router = new_router("scrapers")


@router.get("", response_model=list[answers.ScraperRow])
def list_scrapers() -> Any:
    """Scrapers that are registered where the server runs, by name."""
    known = [one._asdict() for one in registry.names()]
    return shown([{"scraper": each.pop("name"), **each} for each in known])


@router.get("/{scraper}", response_model=answers.Scraper)
def get_scraper(
    scraper: Annotated[
        str, Path(max_length=200, description="A registered name.", examples=["books"])
    ],
) -> Any:
    """One registered scraper, with its parameters as a JSON schema."""
    found = registered_scraper(scraper)
    known = registered().get(scraper)
    return shown(
        {
            "scraper": found.name,
            "summary": found.summary,
            "execution_mode": str(configuration.execution_mode(found)),
            "has_targets": known is not None and known.targets is not None,
            "params": params_schema(found),
        }
    )
