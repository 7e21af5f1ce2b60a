"""What Prometheus scrapes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

from swather.api.metrics import Metrics
from swather.api.served import Served, TheServed
from swather.errors import SwatherError
from swather.worker.exposition import CONTENT_TYPE

_EXAMPLE: Final = """\
# HELP swather_tasks Tasks of all runs by state
# TYPE swather_tasks gauge
swather_tasks{scraper="books",state="ready"} 1200.0
"""
_TEXT: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/plain": {"example": _EXAMPLE}}, "description": "The metrics"}
}


@asynccontextmanager
async def _counting(app: FastAPI) -> AsyncIterator[None]:
    """Counters rise from the start of the server on, and not only from its first scrape."""
    await run_in_threadpool(_begin, _metrics_of(app), app.state.served)
    yield


def _metrics_of(app: FastAPI) -> Metrics:
    """Those of this application; made here if it has not been started."""
    if not hasattr(app.state, "metrics"):
        app.state.metrics = Metrics()
    found: Metrics = app.state.metrics
    return found


def _begin(metrics: Metrics, served: Served) -> None:
    # A database that is away is told by the first scrape.
    with suppress(SwatherError), served.stores.borrowed() as store:
        metrics.begin(store)


router = APIRouter(tags=["metrics"], lifespan=_counting)


@router.get("/metrics", response_class=PlainTextResponse, responses=_TEXT)
def read_metrics(request: Request, served: TheServed) -> PlainTextResponse:
    """Metrics in the text format of Prometheus. One that cannot reach the database says so."""
    text = _exposition(_metrics_of(request.app), served)
    return PlainTextResponse(text, media_type=CONTENT_TYPE)


def _exposition(metrics: Metrics, served: Served) -> bytes:
    try:
        with served.stores.borrowed() as store:
            return metrics.exposition(store)
    except SwatherError:
        return metrics.without(served.stores.url)
