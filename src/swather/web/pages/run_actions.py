"""What a person does to a run on its page: pause, resume, cancel, close, remove it, add targets."""

from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.parameters import Do, Doing
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.api.starting import start_for_client
from swather.errors import InputError
from swather.model.run import RunState
from swather.runs.words import command, count
from swather.scraping.registered import registered
from swather.store import Store
from swather.web.drawing import page

router = APIRouter(include_in_schema=False)

# What takes longer is done in the background.
AT_ONCE: Final = 1_000
MAX_TARGETS: Final = 10_000
RunName = Annotated[str, Path(max_length=500)]


@router.post("/runs/{run}/pause")
def pause(do: Do, store: TheStore, run: RunName) -> Response:
    """Nothing of it is started; running targets finish."""
    found = store.runs.get(run)
    do.now("run pause", found.name, lambda own: own.runs.pause(found.name))
    return _to_run(found.name)


@router.post("/runs/{run}/unpause")
def unpause(do: Do, store: TheStore, run: RunName) -> Response:
    found = store.runs.get(run)
    do.now("run unpause", found.name, lambda own: own.runs.unpause(found.name))
    return _to_run(found.name)


@router.post("/runs/{run}/close")
def close(do: Do, store: TheStore, run: RunName) -> Response:
    """It was kept open for more targets, and ends when those it has are done."""
    found = store.runs.get(run)
    do.now("run close", found.name, lambda own: own.runs.close(found.name))
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
    left = store.runs.counts(run).unfinished
    if left <= AT_ONCE:
        do.now("run cancel", found.name, lambda own: own.runs.cancel(found.name))
        return _to_run(found.name)

    def work(own: Store, advance: Any) -> None:
        advance(own.runs.cancel(found.name))
        own.hints.send()

    return _to_action(do.in_background("run cancel", found.name, left, work))


@router.get("/runs/{run}/remove")
def ask_before_remove(request: Request, store: TheStore, run: RunName) -> Response:
    found, counts = store.runs.get(run), store.runs.counts(run)
    _refuse_open(found.state, found.name, store.url)
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
    _refuse_open(found.state, found.name, store.url)
    if store.runs.counts(run).total <= AT_ONCE:
        do.now("run remove", found.name, lambda own: own.runs.remove(found.name))
        return RedirectResponse("/", status_code=HTTPStatus.SEE_OTHER)
    action = do.in_background(
        "run remove", found.name, None, lambda own, _: own.runs.remove(found.name)
    )
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
        _add(do, found.scraper, found.name, lines)
    except (InputError, Refused) as error:
        return _targets_page(request, store, run, targets, str(error))
    return _to_run(found.name)


def _add(do: Doing, scraper: str, run: str, lines: list[str]) -> None:
    do.now(
        "run add",
        run,
        lambda own: start_for_client(scraper, lines, db=own.url, resume=run),
        {"targets": len(lines)},
    )


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


def _refuse_open(state: RunState, run: str, url: str) -> None:
    if state is RunState.OPEN:
        raise Refused(
            HTTPStatus.CONFLICT,
            f"run {run!r} is still open; cancel it first",
            command=command("cancel", run, url=url),
        )


def _address(run: str) -> str:
    return f"/runs/{quote(run, safe='')}"


def _to_run(run: str) -> Response:
    return RedirectResponse(_address(run), status_code=HTTPStatus.SEE_OTHER)


def _to_action(action: int) -> Response:
    return RedirectResponse(f"/actions/{action}", status_code=HTTPStatus.SEE_OTHER)
