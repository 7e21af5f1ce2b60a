"""The page of sources: how those that scrapers ask have answered, day by day."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.api.source_changes import reset_source
from swather.model.source import SourceStats
from swather.model.task import MAX_NAME_BYTES
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.live import Regions, stream
from swather.web.shapes import heat_of

router = APIRouter(include_in_schema=False)

DAYS: Final = 7
_DAY_SECONDS: Final = 86_400.0

FormName = Annotated[str, Form(max_length=MAX_NAME_BYTES)]


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """How often a source was asked on one of the last days, and how long it took."""

    days_ago: int
    asked: int
    succeeded: int
    seconds: float

    @property
    def heat(self) -> int | None:
        """How well it answered, from 0 to 4."""
        return heat_of(self.succeeded / self.asked) if self.asked else None

    @property
    def mean_seconds(self) -> float | None:
        return self.seconds / self.asked if self.asked else None


class SourceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A source over all these days, and each of them, the oldest first."""

    stats: SourceStats
    days: list[Day]


@router.get("/sources")
def sources_page(request: Request, store: TheStore) -> Response:
    return page(request, "sources.html", {"days": DAYS, **_regions(store)})


@router.get("/sources/live")
async def sources_live(request: Request, served: TheServed) -> Response:
    return stream(request, served, _regions)


def _regions(store: Store) -> Regions:
    return {"sources": part("sources_rows.html", rows=[*_rows(store)])}


@router.post("/sources/reset")
def reset(do: Do, scraper: FormName, source: FormName) -> Response:
    """It is asked again at once; what was counted stays."""
    reset_source(do, source, scraper)
    return RedirectResponse("/sources", HTTPStatus.SEE_OTHER)


def _rows(store: Store) -> Iterator[SourceRow]:
    """A day is what was counted since it began, without what was counted since the next."""
    since = [
        {
            (each.scraper, each.source): each
            for each in store.sources.find(since_seconds=number * _DAY_SECONDS)
        }
        for number in range(1, DAYS + 1)
    ]
    none = SourceStats(scraper="", source="")
    for key, stats in sorted(since[-1].items()):
        totals = [none, *(found.get(key, none) for found in since)]
        days = [
            Day(
                days_ago=number,
                asked=totals[number + 1].asked - totals[number].asked,
                succeeded=totals[number + 1].succeeded - totals[number].succeeded,
                seconds=totals[number + 1].seconds - totals[number].seconds,
            )
            for number in reversed(range(DAYS))
        ]
        yield SourceRow(stats=stats, days=days)
