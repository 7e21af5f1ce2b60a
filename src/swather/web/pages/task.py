"""One task: what happened to it, what it waits for, what it left behind."""

from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from fastapi.responses import RedirectResponse, Response

from swather.api import task_changes
from swather.api.parameters import Do
from swather.api.problems import Refused
from swather.api.saved_files import SHOWN, SavedFiles
from swather.api.served import Served, TheServed, TheStore
from swather.errors import NotFound
from swather.model.run import Run
from swather.model.task import Task
from swather.runs.storage import bucket_access
from swather.runs.why import why_task
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.failed_pages import FailedPages
from swather.web.live import Regions, stream
from swather.web.task_choice import Verb
from swather.web.timeline import timeline, worker_names

router = APIRouter(include_in_schema=False)

Number = Annotated[int, InPath(ge=1, le=(1 << 63) - 1)]
MAX_EVENTS: Final = 200
MAX_ITEMS: Final = 50
_MAX_ATTEMPTS: Final = 50
# What the timeline or the head of the page tells already.
_TOLD: Final = frozenset({"task", "event", "task_error"})
# What a stored file may do where a browser opens it: nothing.
INERT: Final = {"content-security-policy": "default-src 'none'; sandbox"}


@router.get("/tasks/{number}")
def task_page(request: Request, store: TheStore, served: TheServed, number: Number) -> Response:
    task = store.tasks.get(number)
    run = store.runs.get(task.run)
    left = store.results.of_task(number, limit=MAX_ITEMS)
    attempts = min(task.attempts + task.crashes + 1, _MAX_ATTEMPTS)
    values = {
        "task": task,
        "run": run,
        "items": left.items,
        "files": left.files,
        "most": MAX_ITEMS,
        "shown": SHOWN,
        "run_address": f"/runs/{quote(run.name, safe='')}",
        "pictures": _failed_pages(served, run).attempts(task.id, attempts),
        "level": store.settings.all().get("event_level", "failures"),
        **_regions(store, run, task),
    }
    return page(request, "task.html", values)


@router.get("/tasks/{number}/live")
async def task_live(request: Request, served: TheServed, number: Number) -> Response:
    return stream(request, served, lambda store: _live(store, number))


@router.get("/tasks/{number}/cancel")
def confirm_cancel(request: Request, store: TheStore, number: Number) -> Response:
    task = store.tasks.get(number)
    values = {
        "title": f"Cancel task {number}?",
        "text": f"It is {task.state}. If it is running, it is stopped within seconds, and what it "
        "would have found is not kept. It can be retried later.",
        "action": f"/tasks/{number}/cancel",
        "button": "Cancel this task",
        "back": f"/tasks/{number}",
    }
    return page(request, "confirm.html", values)


@router.post("/tasks/{number}/{verb}")
def act(store: TheStore, do: Do, number: Number, verb: Verb) -> Response:
    change = task_changes.cancel_task if verb is Verb.CANCEL else task_changes.retry_task
    if not change(store, do, number):
        now = store.tasks.get(number).state
        raise Refused(HTTPStatus.CONFLICT, f"task {number} is {now} now: nothing was changed")
    return RedirectResponse(f"/tasks/{number}", status_code=HTTPStatus.SEE_OTHER)


@router.get("/tasks/{number}/failures/{attempt}.png")
def picture(served: TheServed, store: TheStore, number: Number, attempt: Number) -> Response:
    """What a browser showed when the attempt failed."""
    content = _failed_page(store, served, number, attempt, "png")
    return Response(content, media_type="image/png", headers=INERT)


@router.get("/tasks/{number}/failures/{attempt}.html")
def failed_html(served: TheServed, store: TheStore, number: Number, attempt: Number) -> Response:
    """Its HTML, to be saved: a page of a site is never opened on our origin."""
    content = _failed_page(store, served, number, attempt, "html")
    name = f'attachment; filename="task-{number}-attempt-{attempt}.html"'
    return Response(
        content,
        media_type="application/octet-stream",
        headers={**INERT, "content-disposition": name},
    )


def _failed_page(store: Store, served: Served, number: int, attempt: int, kind: str) -> bytes:
    run = store.runs.get(store.tasks.get(number).run)
    content = _failed_pages(served, run).read(number, attempt, kind)
    if content is None:
        raise NotFound(f"nothing was kept of attempt {attempt} of task {number}")
    return content


def _failed_pages(served: Served, run: Run) -> FailedPages:
    saved = SavedFiles(served.settings, start=Path.cwd())
    return FailedPages(saved.location_of(run), bucket_access(served.settings))


def _live(store: Store, number: int) -> Regions:
    task = store.tasks.get(number)
    drawn = _regions(store, store.runs.get(task.run), task)
    return {name.replace("_", "-"): html for name, html in drawn.items()}


def _regions(store: Store, run: Run, task: Task) -> dict[str, Any]:
    events = store.events.find(task.run, task_id=task.id, limit=MAX_EVENTS)
    steps = timeline(task, events, worker_names(store, events), datetime.now(UTC))
    return {
        "task_acts": part("task_acts.html", task=task),
        "task_facts": part("task_facts.html", task=task, way_out=run.egress.get("way_out")),
        "task_story": part("task_story.html", task=task, reasons=_reasons(store, task)),
        "task_steps": part(
            "task_steps.html", steps=steps, most=MAX_EVENTS, is_cut=len(events) == MAX_EVENTS
        ),
    }


def _reasons(store: Store, task: Task) -> list[Any]:
    """What it waits for; its history is in the timeline."""
    if task.state.is_terminal:
        return []
    return [reason for reason in why_task(store, task.id) if reason.code not in _TOLD]
