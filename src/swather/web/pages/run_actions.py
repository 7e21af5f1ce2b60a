"""What a person does to a run on its page: pause, resume, cancel, close, remove it, add targets."""

from http import HTTPStatus
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import RedirectResponse, Response

from swather.api import run_changes
from swather.api.parameters import Do
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.errors import InputError
from swather.runs.words import command, count
from swather.scraping.registered import registered
from swather.store import Store
from swather.web.drawing import page

router = APIRouter(include_in_schema=False)

MAX_TARGETS: Final = 10_000
RunName = Annotated[str, Path(max_length=500)]


@router.post("/runs/{run}/pause")
def pause(do: Do, store: TheStore, run: RunName) -> Response:
    """Nothing of it is started; running targets finish."""
    found = store.runs.get(run)
    run_changes.pause_run(do, found)
    return _to_run(found.name)


@router.post("/runs/{run}/unpause")
def unpause(do: Do, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    run_changes.unpause_run(do, found)
    return _to_run(found.name)


@router.post("/runs/{run}/close")
def close(do: Do, store: TheStore, run: RunName) -> Response:
    """It was kept open for more targets, and ends when those it has are done."""
    found = store.runs.get(run)
    run_changes.close_run(do, found)
    return _to_run(found.name)


@router.get("/runs/{run}/cancel")
def ask_before_cancel(request: Request, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    left = store.runs.counts(run)
    values = {
        "title": f"Cancel run {found.name}?",
        "text": f"{count(left.unfinished, 'task')} will end as cancelled, {left.leased:,} of them "
        "held by workers, which stop them within seconds. What is done stays done. Cancelled tasks "
        "can be retried later, and the run opens again.",
        "action": f"{_address(run)}/cancel",
        "button": f"Cancel {count(left.unfinished, 'task')}",
        "back": _address(run),
    }
    return page(request, "confirm.html", values)


@router.post("/runs/{run}/cancel")
def cancel(do: Do, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    action = run_changes.cancel_run(store, do, found).action
    return _to_run(found.name) if action is None else _to_action(action)


@router.get("/runs/{run}/remove")
def ask_before_remove(request: Request, store: TheStore, run: RunName) -> Response:
    found, counts = store.runs.get(run), store.runs.counts(run)
    run_changes.refuse_open(store, found)
    values = {
        "title": f"Remove run {found.name}?",
        "text": f"{count(counts.total, 'task')}, {count(counts.items, 'item')} and the list of "
        f"{count(counts.files, 'file')} will be deleted from the database. This cannot be undone. "
        "Results files that were written stay.",
        "action": f"{_address(run)}/remove",
        "button": f"Remove {count(counts.total, 'task')}",
        "back": _address(run),
    }
    return page(request, "confirm.html", values)


@router.post("/runs/{run}/remove")
def remove(do: Do, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    action = run_changes.remove_run(store, do, found).action
    if action is None:
        return RedirectResponse("/", status_code=HTTPStatus.SEE_OTHER)
    return _to_action(action)


@router.get("/runs/{run}/targets")
def targets_form(request: Request, store: TheStore, run: RunName) -> Response:
    return _targets_page(request, store, run)


@router.post("/runs/{run}/targets")
def add_targets(
    request: Request,
    do: Do,
    store: TheStore,
    run: RunName,
    targets: Annotated[str, Form(max_length=1 << 20)] = "",
) -> Response:
    """Of a registered scraper; one target on each line."""
    found = store.runs.get(run)
    lines = [each for line in targets.splitlines() if (each := line.strip())]
    problem = _problem(lines)
    if problem:
        return _targets_page(request, store, run, targets, problem)
    try:
        run_changes.add_targets(do, found, lines)
    except (InputError, Refused) as error:
        return _targets_page(request, store, run, targets, str(error))
    return _to_run(found.name)


def _problem(lines: list[str]) -> str:
    if not lines:
        return "no target is given: write one on each line"
    if len(lines) > MAX_TARGETS:
        return f"{len(lines):,} targets are more than fit here ({MAX_TARGETS:,}): load a file"
    return ""


def _targets_page(
    request: Request, store: Store, run: str, targets: str = "", problem: str = ""
) -> Response:
    found = store.runs.get(run)
    values = {
        "run": found,
        "targets": targets,
        "problem": problem,
        "is_registered": found.scraper in registered(),
        "typed": command(
            "enqueue", found.scraper_spec, "--resume", run, "--targets", "more.txt", url=store.url
        ),
        "most": MAX_TARGETS,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return page(request, "run_targets.html", values, status=status)


def _address(run: str) -> str:
    return f"/runs/{quote(run, safe='')}"


def _to_run(run: str) -> Response:
    return RedirectResponse(_address(run), status_code=HTTPStatus.SEE_OTHER)


def _to_action(action: int) -> Response:
    return RedirectResponse(f"/actions/{action}", status_code=HTTPStatus.SEE_OTHER)
