"""What the palette of commands offers: pages, runs, workers, settings, a task by its number."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import msgspec
from fastapi import APIRouter
from fastapi.responses import Response

from swather.api.served import TheStore
from swather.errors import NotFound
from swather.masking import masked
from swather.model.whole_number import whole_number
from swather.settings import Settings
from swather.store import Store

router = APIRouter(include_in_schema=False)

MOST: Final = 30
MAX_TEXT: Final = 200
_MANY: Final = 500
_PAGES: Final = (
    ("/", "Runs"),
    ("/start", "Start a scraper"),
    ("/errors", "Errors"),
    ("/workers", "Workers"),
    ("/lanes", "Lanes"),
    ("/proxies", "Proxies"),
    ("/partitions", "Partitions"),
    ("/results", "Results"),
    ("/media", "Media"),
    ("/schedules", "Schedules"),
    ("/sources", "Sources"),
    ("/settings", "Settings"),
    ("/audit", "Audit log"),
)


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    kind: str
    href: str = ""
    act: str = ""


@router.get("/palette")
def places(store: TheStore, q: str = "") -> Response:
    found = [*_found(store, q.strip().lower()[:MAX_TEXT])][:MOST]
    return Response(msgspec.json.encode(found), media_type="application/json")


def _found(store: Store, text: str) -> Iterator[Place]:
    yield from _task(store, text)
    pages = [Place(name, "page", href) for href, name in _PAGES]
    runs = [
        Place(run.name, "run", f"/runs/{quote(run.name, safe='')}")
        for run in store.runs.find(limit=_MANY)
    ]
    if not text:
        yield from runs[:5]
        yield from pages
    else:
        # What begins with the text comes first.
        everything = [*pages, *runs, *_workers(store), *_settings()]
        fits = [place for place in everything if text in place.name.lower()]
        yield from sorted(fits, key=lambda place: not place.name.lower().startswith(text))
    for place in (Place("Switch theme", "action", act="theme"), Place("Keys", "help", act="keys")):
        if text in place.name.lower():
            yield place


def _task(store: Store, text: str) -> Iterator[Place]:
    number = whole_number(text)
    if number is not None:
        try:
            task = store.tasks.get(number)
        except NotFound:
            return
        yield Place(f"Task {task.id}, {task.run}", "task", f"/tasks/{task.id}")


def _workers(store: Store) -> Iterator[Place]:
    for worker in store.workers.find():
        yield Place(masked(worker.name), "worker", "/workers")


def _settings() -> Iterator[Place]:
    for name in Settings.model_fields:
        yield Place(name, "setting", f"/settings#{name}")
