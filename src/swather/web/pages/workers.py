"""The page of workers and fleets: who does what, and how many there are."""

from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from swather.api import fleet_changes
from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.errors import InputError
from swather.model.supervisor import MAX_WORKERS, SupervisorRow
from swather.model.worker import Worker
from swather.runs.words import command, count
from swather.runs.worker_changes import WorkerVerb
from swather.store import Store
from swather.visible import visible_line
from swather.web.drawing import page, part
from swather.web.live import Regions, stream
from swather.web.pages.workers_fleets import cost_of, fleets_of
from swather.web.pages.workers_rows import rows_of

router = APIRouter(include_in_schema=False)

# Workers that a page shows.
MOST: Final = 500

Wanted = Annotated[int, Form(ge=0, le=MAX_WORKERS)]


@router.get("/workers")
def workers(request: Request, store: TheStore) -> Response:
    return _page(request, store)


@router.get("/workers/live")
async def workers_live(request: Request, served: TheServed) -> Response:
    return stream(request, served, _regions)


@router.post("/workers/{worker_id}/pause")
def pause(worker_id: int, store: TheStore, do: Do) -> Response:
    return _changed(worker_id, "pause", store, do)


@router.post("/workers/{worker_id}/unpause")
def unpause(worker_id: int, store: TheStore, do: Do) -> Response:
    return _changed(worker_id, "unpause", store, do)


@router.get("/workers/{worker_id}/drain")
def ask_before_drain(request: Request, worker_id: int, store: TheStore) -> Response:
    worker = store.workers.get(worker_id)
    return _asked(
        request,
        worker,
        "drain",
        "It finishes its running targets, however long they take, gives back the rest, and exits.",
    )


@router.post("/workers/{worker_id}/drain")
def drain(worker_id: int, store: TheStore, do: Do) -> Response:
    return _changed(worker_id, "drain", store, do)


@router.get("/workers/{worker_id}/stop")
def ask_before_worker_stop(request: Request, worker_id: int, store: TheStore) -> Response:
    worker = store.workers.get(worker_id)
    return _asked(
        request,
        worker,
        "stop",
        f"It gives back what it holds ({count(worker.leases, 'task')} now) and exits; other "
        "workers run these targets from their start.",
    )


@router.post("/workers/{worker_id}/stop")
def stop_worker(worker_id: int, store: TheStore, do: Do) -> Response:
    return _changed(worker_id, "stop", store, do)


@router.get("/fleets/{fleet_id}/cost")
def cost(
    fleet_id: int, store: TheStore, wanted: Annotated[int, Query(ge=0, le=MAX_WORKERS)]
) -> Response:
    """What so many workers would cost; asked for while somebody chooses."""
    fleet = store.supervisors.get(fleet_id)
    said = cost_of(store, fleet, wanted, store.workers.find())
    return HTMLResponse(part("workers_cost.html", said=said))


@router.post("/fleets/{fleet_id}/scale")
def scale(
    request: Request,
    fleet_id: int,
    store: TheStore,
    do: Do,
    wanted: Wanted,
) -> Response:
    fleet = store.supervisors.get(fleet_id)
    if fleet.minimum is not None:
        return _page(request, store, problem=_scales_itself(fleet))
    fleet_changes.scale_fleet(do, fleet, wanted)
    return _back()


@router.post("/fleets/{fleet_id}/bounds")
def bounds(
    request: Request,
    fleet_id: int,
    store: TheStore,
    do: Do,
    minimum: Wanted,
    maximum: Wanted,
) -> Response:
    """Of a fleet that scales itself."""
    fleet = store.supervisors.get(fleet_id)
    try:
        fleet_changes.bound_fleet(do, fleet, minimum, maximum)
    except InputError as error:
        return _page(request, store, problem=str(error))
    return _back()


@router.post("/fleets/{fleet_id}/restart")
def restart(fleet_id: int, store: TheStore, do: Do) -> Response:
    fleet_changes.restart_fleet(do, store.supervisors.get(fleet_id))
    return _back()


@router.get("/fleets/{fleet_id}/stop")
def ask_before_stop(request: Request, fleet_id: int, store: TheStore) -> Response:
    fleet = store.supervisors.get(fleet_id)
    running = next((each.running for each in fleets_of(store) if each.row.id == fleet_id), 0)
    return page(
        request,
        "confirm.html",
        {
            "title": f"Stop fleet {fleet.name}?",
            "text": f"{count(running, 'worker')} will finish running targets, give back the rest, "
            "and stop. Nothing is lost or scraped twice. To start them again you need a command.",
            "action": f"/fleets/{fleet_id}/stop",
            "button": f"Stop {count(running, 'worker')}",
            "back": "/workers",
        },
    )


@router.post("/fleets/{fleet_id}/stop")
def stop(fleet_id: int, store: TheStore, do: Do) -> Response:
    """Running targets finish first."""
    fleet_changes.stop_fleet(do, store.supervisors.get(fleet_id))
    return _back()


def _page(request: Request, store: Store, problem: str = "") -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return page(request, "workers.html", {**_regions(store), "problem": problem}, status=status)


def _regions(store: Store) -> Regions:
    live = store.workers.find(limit=MOST + 1)
    lost = [each for each in store.workers.find(live=False, limit=MOST) if each.state == "lost"]
    rows = rows_of([*live[:MOST], *lost], store.runs.find(limit=200))
    fleets = fleets_of(store)
    values: dict[str, Any] = {
        "fleets": fleets,
        "costs": {
            fleet.row.id: cost_of(store, fleet.row, fleet.row.wanted, live)
            for fleet in fleets
            if fleet.is_live
        },
        "up": command("fleet", "up", "books.py", "--workers", "4", url=store.url),
        "serve": command("serve", "--workers", "4", url=store.url),
    }
    return {
        "fleets": part("workers_fleets.html", **values),
        "workers": part("workers_rows.html", rows=rows, more=len(live) > MOST, **values),
    }


def _scales_itself(fleet: SupervisorRow) -> str:
    return (
        f"fleet {fleet.name} scales itself between {fleet.minimum} and {fleet.maximum} workers; "
        "change these bounds instead"
    )


def _asked(request: Request, worker: Worker, verb: str, text: str) -> Response:
    verb_said = verb.capitalize()
    return page(
        request,
        "confirm.html",
        {
            "title": f"{verb_said} worker {visible_line(worker.name)}?",
            "text": f"{text} Nothing is lost. If it belongs to a fleet, another worker takes its "
            "place; to have fewer, scale the fleet.",
            "action": f"/workers/{worker.id}/{verb}",
            "button": f"{verb_said} this worker",
            "back": "/workers",
        },
    )


def _changed(worker_id: int, verb: WorkerVerb, store: TheStore, do: Do) -> Response:
    fleet_changes.change_one(do, store.workers.get(worker_id), verb)
    return _back()


def _back() -> Response:
    return RedirectResponse("/workers", status_code=HTTPStatus.SEE_OTHER)
