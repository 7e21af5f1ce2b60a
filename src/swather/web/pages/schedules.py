"""The page of schedules: when each is due, what became of the last time; switched on and off."""

from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather.api import schedule_changes
from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.model.schedule import Schedule
from swather.model.task import MAX_NAME_BYTES
from swather.runs import schedule_facts
from swather.runs.words import command
from swather.scraping.registered import registered
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.live import Regions, stream

router = APIRouter(include_in_schema=False)

_FIRINGS: Final = 50

Name = Annotated[str, Query(max_length=MAX_NAME_BYTES)]
FormName = Annotated[str, Form(max_length=MAX_NAME_BYTES)]


@router.get("/schedules")
def schedules_page(request: Request, store: TheStore) -> Response:
    return page(request, "schedules.html", {**_regions(store)})


@router.get("/schedules/live")
async def schedules_live(request: Request, served: TheServed) -> Response:
    return stream(request, served, _regions)


def _regions(store: Store) -> Regions:
    found = store.schedules.find()
    add = command("schedules", "add", "books", "0 2 * * *", "https://example.com/", url=store.url)
    rows = [{**_row(each), "last": _last(store, each)} for each in found]
    late = schedule_facts.waiting(found)
    return {"schedules": part("schedules_rows.html", rows=rows, late=late, add=add)}


def _row(schedule: Schedule) -> dict[str, Any]:
    return {
        "schedule": schedule,
        "words": schedule_facts.words_of(schedule),
        "is_late": schedule.enabled and schedule.due_seconds < 0,
        "address": f"/schedules/show?{urlencode({'name': schedule.name})}",
        "remove": f"/schedules/remove?{urlencode({'name': schedule.name})}",
    }


def _last(store: Store, schedule: Schedule) -> Any:
    return next(iter(store.schedules.firings(schedule.name, limit=1)), None)


@router.get("/schedules/show")
def schedule_page(request: Request, store: TheStore, name: Name) -> Response:
    found = store.schedules.get(name)
    values = {
        **_row(found),
        "facts": schedule_facts.facts_of(found),
        "firings": store.schedules.firings(name, limit=_FIRINGS),
        "late": schedule_facts.waiting([found]),
        "is_registered": found.scraper in registered(),
    }
    return page(request, "schedule.html", values)


@router.post("/schedules/enable")
def enable(do: Do, name: FormName) -> Response:
    schedule_changes.enable_schedule(do, name)
    return _back()


@router.post("/schedules/fire")
def fire(do: Do, name: FormName) -> Response:
    schedule_changes.fire_schedule(do, name)
    return _back()


@router.post("/schedules/disable")
def disable(do: Do, name: FormName) -> Response:
    schedule_changes.disable_schedule(do, name)
    return _back()


@router.get("/schedules/remove")
def ask_before_remove(request: Request, store: TheStore, name: Name) -> Response:
    found = store.schedules.get(name)
    again = f" It is stored again when a process starts that has {found.origin}."
    values = {
        "title": f"Remove schedule {name}?",
        "text": f"Its runs stay.{again if found.origin else ''}",
        "action": "/schedules/remove",
        "fields": {"name": name},
        "button": "Remove the schedule",
        "back": "/schedules",
    }
    return page(request, "confirm.html", values)


@router.post("/schedules/remove")
def remove(do: Do, name: FormName) -> Response:
    schedule_changes.remove_schedule(do, name)
    return _back()


def _back() -> Response:
    return RedirectResponse("/schedules", HTTPStatus.SEE_OTHER)
