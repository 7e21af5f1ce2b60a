"""The log of a run: what happened to its tasks, the newest first."""

from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from swather.api.served import TheServed, TheStore
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.live import Regions, stream
from swather.web.timeline import logged_step, worker_names

router = APIRouter(include_in_schema=False)

PAGE: Final = 100

Before = Annotated[int | None, Query(ge=1, le=(1 << 63) - 1)]


@router.get("/runs/{run}/log")
def log_page(request: Request, store: TheStore, run: str, before: Before = None) -> Response:
    values = {
        "run": store.runs.get(run),
        "before": before,
        "base": _base(run),
        "level": store.settings.all().get("event_level", "failures"),
        "log": _events(store, run, before),
    }
    return page(request, "log.html", values)


@router.get("/runs/{run}/log/live")
async def log_live(request: Request, served: TheServed, run: str) -> Response:
    def read(store: Store) -> Regions:
        return {"log": _events(store, run, None)}

    return stream(request, served, read)


def _events(store: Store, run: str, before: int | None) -> str:
    events = store.events.newest(run, before_id=before, limit=PAGE)
    names = worker_names(store, events)
    return part(
        "log_events.html",
        rows=[(event, logged_step(event, names)) for event in events],
        more=f"{_base(run)}?before={events[-1].id}" if len(events) == PAGE else "",
        first="" if before is None else _base(run),
    )


def _base(run: str) -> str:
    return f"/runs/{quote(run, safe='')}/log"
