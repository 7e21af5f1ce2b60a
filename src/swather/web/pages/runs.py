"""A run: how far it is, what holds it back, its charts, its errors, its workers and settings."""

from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.served import TheServed, TheStore
from swather.model.run import RESERVED_PARAM, Run
from swather.runs.progress import snapshot_of
from swather.runs.reasons import no_worker
from swather.runs.run_names import find_run
from swather.runs.situation import Situation
from swather.runs.why import why_of
from swather.store import Store
from swather.web.charts import Charted, of_run
from swather.web.drawing import page, part
from swather.web.error_rows import groups_of_run
from swather.web.live import Regions, parts_now, stream
from swather.web.pages.workers_rows import rows_of
from swather.web.standing import word_for

router = APIRouter(include_in_schema=False)

# Charts show no more than the last of a long run.
CHART_SECONDS: Final = 86_400.0
MAX_WORKERS: Final = 200
RunName = Annotated[str, Path(max_length=500)]


@router.get("/runs/{run}")
def run_page(request: Request, served: TheServed, store: TheStore, run: RunName) -> Response:
    """Also by the beginning of its name, or its scraper's: its newest run."""
    found = served.recent.read(f"run {run}", lambda: find_run(store, run))
    if found.name != run:
        return RedirectResponse(f"/runs/{quote(found.name, safe='')}")
    charted = Charted(of_run(run), CHART_SECONDS)
    address = f"/runs/{quote(run, safe='')}/live"
    regions = parts_now(served, address, lambda: _regions(store, run, charted))
    return page(request, "run.html", {"run": found, "live_address": address, **regions})


@router.get("/runs/{run}/live")
async def run_live(request: Request, served: TheServed, run: RunName) -> Response:
    charted = Charted(of_run(run), CHART_SECONDS)
    return stream(request, served, lambda store: _regions(store, run, charted))


@router.get("/runs/{run}/workers")
def workers_of_run(request: Request, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    return page(request, "run_workers.html", {"run": found, **_workers(store, found)})


@router.get("/runs/{run}/workers/live")
async def workers_of_run_live(request: Request, served: TheServed, run: RunName) -> Response:
    return stream(request, served, lambda store: _workers(store, store.runs.get(run)))


@router.get("/runs/{run}/settings")
def settings_of_run(request: Request, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    params = {name: value for name, value in found.params.items() if name != RESERVED_PARAM}
    return page(request, "run_settings.html", {"run": found, "params": params})


def _regions(store: Store, name: str, charted: Charted) -> Regions:
    run = store.runs.get(name)
    situation = Situation.of(store, run)
    now = snapshot_of(situation)
    word = word_for(
        run, now.limited_by, now.reasons, is_moving=bool(now.running or now.rate_per_second)
    )
    values: dict[str, Any] = {"run": run, "now": now, "word": word}
    return {
        "actions": part("run_actions.html", **values),
        "standing": part("run_standing.html", **values),
        "story": part("run_story.html", reasons=why_of(situation)),
        "errors": part("run_errors.html", groups=groups_of_run(store, name), **values),
        "points": charted.read(store),
    }


def _workers(store: Store, run: Run) -> Regions:
    """Those that work on it, and those that work on any run."""
    found = rows_of(store.workers.find(limit=MAX_WORKERS), [run])
    rows = [row for row in found if not row.runs or run.name in row.runs]
    up = no_worker(run, store.url).command
    return {"workers": part("workers_rows.html", rows=rows, more=len(found) == MAX_WORKERS, up=up)}
