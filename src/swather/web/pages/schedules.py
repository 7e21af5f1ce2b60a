"""The page of schedules: when each is due, what became of the last time; switched on and off."""

from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.served import Actor, TheServed, TheStore
from swather.model.schedule import Schedule, next_time
from swather.model.task import MAX_NAME_BYTES
from swather.runs import schedule_facts
from swather.runs.due_now import make_due
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
def enable(served: TheServed, store: TheStore, actor: Actor, name: FormName) -> Response:
    """It is due again from its next time on."""
    found = store.schedules.get(name)
    due = next_time(found.cron, found.timezone, found.now)

    def work(own: Store) -> None:
        if not found.enabled:
            own.schedules.enable(name, due)
        own.hints.send()

    served.acting.now("enable", f"schedule {name}", actor, work)
    return _back()


@router.post("/schedules/fire")
def fire(served: TheServed, store: TheStore, actor: Actor, name: FormName) -> Response:
    """Its run starts now instead of at its next time."""
    store.schedules.get(name)
    served.acting.now("fire", f"schedule {name}", actor, lambda own: make_due(own, name))
    return _back()


@router.post("/schedules/disable")
def disable(served: TheServed, store: TheStore, actor: Actor, name: FormName) -> Response:
    """Runs that have started go on."""
    store.schedules.get(name)
    served.acting.now("disable", f"schedule {name}", actor, lambda own: own.schedules.disable(name))
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
def remove(served: TheServed, store: TheStore, actor: Actor, name: FormName) -> Response:
    store.schedules.get(name)
    served.acting.now("remove", f"schedule {name}", actor, lambda own: own.schedules.remove(name))
    return _back()


def _back() -> Response:
    return RedirectResponse("/schedules", HTTPStatus.SEE_OTHER)
