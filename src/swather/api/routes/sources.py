"""Sources over HTTP: how what scrapers ask has answered, and which are skipped."""

from typing import Annotated, Any

from fastapi import Query

from swather.api import answers_sources as answers
from swather.api.answers import shown
from swather.api.parameters import Do, TheRun, new_router
from swather.api.served import TheStore
from swather.api.source_changes import reset_source

router = new_router("sources", "")

SinceHours = Annotated[float, Query(gt=0, le=8_760, description="Count the last so many hours.")]


@router.get("/sources", response_model=list[answers.Source])
def list_sources(
    store: TheStore,
    scraper: Annotated[
        str | None, Query(max_length=500, description="Only sources of this scraper.")
    ] = None,
    since_hours: SinceHours = 168.0,
) -> Any:
    """Sources that scrapers have asked, over time."""
    found = store.sources.find(since_seconds=since_hours * 3_600, scraper=scraper)
    return shown([stats.as_data() for stats in found])


@router.get("/runs/{run}/sources", response_model=list[answers.Source])
def list_sources_of_run(store: TheStore, run: TheRun) -> Any:
    """Sources that a run has asked, or asks now."""
    return shown([stats.as_data() for stats in store.sources.of_run(run.name)])


@router.post("/sources/reset", response_model=answers.SourceReset)
def reset(do: Do, given: answers.ResetSource) -> Any:
    """Close the breaker of a source, so that it is asked again at once."""
    done = reset_source(do, given.source, given.scraper)
    return {"source": given.source, "reset": done}
