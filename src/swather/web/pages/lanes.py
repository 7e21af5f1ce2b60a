"""The page of lanes: how fast each site is scraped, what holds it back, and one lane in detail."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather.api import lane_changes
from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.model.lane import Lane, PacedKind
from swather.model.run import RunState
from swather.model.task import MAX_NAME_BYTES
from swather.runs import breaker_words, lane_words
from swather.runs.lane_facts import AnswersByLane, answers_in, breakers_of
from swather.runs.selection import lane_names, paced_kind
from swather.runs.words import command
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.lane_form import LimitsForm, seconds_to_cool
from swather.web.live import Regions, stream
from swather.web.pages.lanes_rows import Answers, answers_of, row_of, rows_of
from swather.web.slow_reads import Slowly

router = APIRouter(include_in_schema=False)

# Lanes that a page shows, and the newest names that a search looks through.
MOST: Final = 200
_SEARCHED: Final = 10_000
# Runs whose answers are shown, and for how long they are counted.
_RUNS: Final = 10
_LATELY_SECONDS: Final = 3_600.0

Text = Annotated[str, Query(max_length=MAX_NAME_BYTES)]
FormText = Annotated[str, Form(max_length=MAX_NAME_BYTES)]
# Where somebody was who pressed a button.
Back = Annotated[Literal["lane", "list"], Form()]


@router.get("/lanes")
def lanes_page(request: Request, store: TheStore, q: Text = "") -> Response:
    query = f"?{urlencode({'q': q})}" if q else ""
    regions = _regions(store, q, Slowly())
    values = {"q": q, "live_address": f"/lanes/live{query}", **regions}
    return page(request, "lanes.html", values)


@router.get("/lanes/live")
async def lanes_live(request: Request, served: TheServed, q: Text = "") -> Response:
    shares: Slowly[AnswersByLane] = Slowly()
    return stream(request, served, lambda store: _regions(store, q, shares))


def _regions(store: Store, q: str, shares: Slowly[AnswersByLane]) -> Regions:
    found = _matching(store, q.strip()) if q.strip() else store.lanes.find(limit=MOST + 1)
    breakers, now = store.breakers.find(), datetime.now(UTC)
    rows = rows_of(found[:MOST], breakers, shares.read(lambda: answers_in(store)), now)
    typed = command("lanes", "set", "example.com", "--rate", "2/s", url=store.url)
    more = len(found) > MOST
    return {
        "lanes": part("lanes_rows.html", rows=rows, more=more, q=q, typed=typed),
        "answers": part("lanes_answers.html", answers=_answers(store)),
    }


def _answers(store: Store) -> list[Answers]:
    """Of the newest open runs."""
    runs = store.runs.find(state=RunState.OPEN, limit=_RUNS)
    histories = (
        (run.name, store.history.of_run(run.name, seconds=_LATELY_SECONDS, points=1))
        for run in runs
    )
    return [found for name, points in histories if (found := answers_of(name, points))]


def _matching(store: Store, q: str) -> list[Lane]:
    """Lanes whose name has the text, as far as the newest names go, and scrapers of runs."""
    scrapers = sorted({run.scraper for run in store.runs.find(limit=MOST)})
    known = {PacedKind.LANE: store.lanes.names(limit=_SEARCHED), PacedKind.SCRAPER: scrapers}
    found: list[Lane] = []
    for kind, names in known.items():
        wanted = [name for name in names if q.lower() in name.lower()]
        if q not in wanted and store.lanes.is_known(q, kind):
            wanted.append(q)
        found += [store.lanes.get(name, kind) for name in wanted[: MOST + 1 - len(found)]]
    return found


def _in_address(name: Text, kind: PacedKind = PacedKind.LANE) -> tuple[str, PacedKind]:
    return _named(name, kind)


def _in_form(
    name: FormText, kind: Annotated[PacedKind, Form()] = PacedKind.LANE
) -> tuple[str, PacedKind]:
    return _named(name, kind)


def _named(name: str, kind: PacedKind) -> tuple[str, PacedKind]:
    """A URL means its host, as in the command."""
    (found,) = lane_names([name], scrapers=kind is PacedKind.SCRAPER)
    return found, paced_kind(scrapers=kind is PacedKind.SCRAPER)


InAddress = Annotated[tuple[str, PacedKind], Depends(_in_address)]
InForm = Annotated[tuple[str, PacedKind], Depends(_in_form)]


@router.get("/lanes/show")
def lane_page(request: Request, store: TheStore, which: InAddress) -> Response:
    return _lane(request, store, which, LimitsForm.of(store.lanes.get(*which)))


@router.get("/lanes/show/live")
async def lane_live(request: Request, served: TheServed, which: InAddress) -> Response:
    shares: Slowly[AnswersByLane] = Slowly()
    return stream(request, served, lambda store: _lane_regions(store, which, shares))


@router.post("/lanes/limits")
def limit(
    request: Request,
    store: TheStore,
    do: Do,
    which: InForm,
    form: Annotated[LimitsForm, Depends(LimitsForm.given)],
) -> Response:
    """What is wrong with the form is said on it."""
    if form.errors:
        return _lane(request, store, which, form)
    limits, overrides = form.limits, form.overrides

    def work(own: Store) -> None:
        own.lanes.limit(which[0], limits, which[1], overrides=overrides)

    detail = {"rate": form.rate, "in_flight": form.in_flight, "override": overrides}
    do.now(lane_changes.verb_of(which, "set"), which[0], work, detail)
    return _back(which)


@router.post("/lanes/pause")
def pause(do: Do, which: InForm, back: Back = "lane") -> Response:
    lane_changes.pause_lane(do, which)
    return _back(which, back)


@router.post("/lanes/unpause")
def unpause(do: Do, which: InForm, back: Back = "lane") -> Response:
    """Also ends a cool-down and closes breakers."""
    lane_changes.unpause_lane(do, which)
    return _back(which, back)


@router.post("/lanes/cool")
def cool(
    request: Request,
    store: TheStore,
    do: Do,
    which: InForm,
    time: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    seconds, wrong = seconds_to_cool(time)
    if wrong:
        form = LimitsForm.of(store.lanes.get(*which))
        return _lane(request, store, which, form, cool=time, cool_error=wrong)
    lane_changes.cool_lane(do, which, seconds)
    return _back(which)


@router.get("/lanes/clear")
def ask_before_clear(request: Request, which: InAddress) -> Response:
    values = {
        "title": f"Clear {which[1]} {which[0]}?",
        "text": "Limits that were set here, a pause, a cool-down and its strikes, the learned "
        "pace, the crawl delay and open circuit breakers are removed. The limits of scrapers "
        "still apply.",
        "action": "/lanes/clear",
        "fields": {"name": which[0], "kind": str(which[1])},
        "button": "Remove all that holds it back",
        "back": _address(which),
    }
    return page(request, "confirm.html", values)


@router.post("/lanes/clear")
def clear(do: Do, which: InForm) -> Response:
    lane_changes.clear_lane(do, which)
    return _back(which)


def _lane(
    request: Request,
    store: Store,
    which: tuple[str, PacedKind],
    form: LimitsForm,
    *,
    cool: str = "10m",
    cool_error: str = "",
) -> Response:
    values: dict[str, Any] = {
        "name": which[0],
        "kind": which[1],
        "form": form,
        "cool": cool,
        "cool_error": cool_error,
        "live_address": _address(which, "/lanes/show/live"),
        "clear_address": _address(which, "/lanes/clear"),
        "is_known": store.lanes.is_known(*which),
        **_lane_regions(store, which, Slowly()),
    }
    wrong = form.errors or cool_error
    status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
    return page(request, "lane.html", values, status=status)


def _lane_regions(
    store: Store, which: tuple[str, PacedKind], shares: Slowly[AnswersByLane]
) -> Regions:
    now = datetime.now(UTC)
    lane = store.lanes.get(*which)
    breakers = breakers_of(lane, store.breakers.find())
    reasons = list(lane_words.holds(lane, url=store.url, now=now))
    reasons += [breaker_words.describe(each, url=store.url, now=now) for each in breakers]
    row = row_of(lane, breakers, shares.read(lambda: answers_in(store)), now)
    return {"lane": part("lane_state.html", lane=lane, row=row, reasons=reasons)}


def _address(which: tuple[str, PacedKind], path: str = "/lanes/show") -> str:
    return f"{path}?{urlencode({'name': which[0], 'kind': str(which[1])})}"


def _back(which: tuple[str, PacedKind], back: str = "lane") -> Response:
    address = "/lanes" if back == "list" else _address(which)
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)
