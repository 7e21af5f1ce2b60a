"""What people do to sources, through the API and on pages."""

from swather.api.parameters import Doing
from swather.model.action import ActionVerb
from swather.runs.source_reset import reset_source as close_breakers_of


def reset_source(do: Doing, source: str, scraper: str | None) -> list[str]:
    """It is asked again at once; what was counted stays. The scrapers that ask it."""
    return do.now(
        ActionVerb.SOURCE_RESET, source, lambda store: close_breakers_of(store, source, scraper)
    )
