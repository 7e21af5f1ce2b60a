"""The tasks of a run: found by filter, page by page, live while they are looked at."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from swather.api.served import TheServed, TheStore
from swather.model.retry import ErrorClass
from swather.model.run import Counts
from swather.model.task import State
from swather.store import Store
from swather.store.ports import SCAN, Counted, Found
from swather.web.drawing import page, part
from swather.web.live import Regions, stream
from swather.web.task_choice import InAddress, TaskChoice

router = APIRouter(include_in_schema=False)

PAGE: Final = 50
NEWEST, OLDEST = "newest", "oldest"
# A page for which more ids have to be looked at than these is not read again every second.
LIVE_SCAN: Final = 20_000
# How many that match are counted, and how many ids are looked at for it.
MAX_COUNTED: Final = 10_000
COUNT_SCAN: Final = 20_000

Order = Annotated[str, Query(pattern="^(newest|oldest)$")]
Before = Annotated[int | None, Query(ge=1, le=(1 << 63) - 1)]


@router.get("/runs/{run}/tasks")
def tasks_page(
    request: Request,
    store: TheStore,
    choice: InAddress,
    order: Order = NEWEST,
    after: Before = None,
) -> Response:
    run = store.runs.get(choice.run)
    counts = store.runs.counts(choice.run)
    found = _found(store, choice, order, after)
    values = {
        "run": run,
        "choice": choice,
        "order": order,
        "after": after,
        "states": list(State),
        "classes": list(ErrorClass),
        "reasons": sorted(counts.reasons),
        "live_address": _live_address(request),
        **_parts(store, choice, counts, found, order, after),
    }
    return page(request, "tasks.html", values)


@router.get("/runs/{run}/tasks/live")
async def tasks_live(
    request: Request,
    served: TheServed,
    choice: InAddress,
    order: Order = NEWEST,
    after: Before = None,
) -> Response:
    def read(store: Store) -> Regions:
        counts = store.runs.counts(choice.run)
        found = _found(store, choice, order, after, scan=LIVE_SCAN)
        drawn = _parts(store, choice, counts, found, order, after)
        if len(found.tasks) < PAGE and not found.is_all:
            del drawn["task_rows"]
        return {name.replace("_", "-"): html for name, html in drawn.items()}

    return stream(request, served, read)


def _found(
    store: Store, choice: TaskChoice, order: str, after: int | None, scan: int = SCAN
) -> Found:
    which = choice.filter
    if order == OLDEST:
        return store.tasks.search(which, after_id=after or 0, limit=PAGE, scan=scan)
    return store.tasks.search(which, before_id=after, newest_first=True, limit=PAGE, scan=scan)


def _parts(
    store: Store, choice: TaskChoice, counts: Counts, found: Found, order: str, after: int | None
) -> dict[str, Any]:
    more = None if found.is_all else choice.address(order=order, after=found.next_id or 0)
    return {
        "task_states": part(
            "tasks_states.html",
            choice=choice,
            total=counts.total,
            counts=[(state, getattr(counts, state)) for state in State],
        ),
        "task_rows": part(
            "tasks_rows.html",
            choice=choice,
            tasks=found.tasks,
            page_size=PAGE,
            more=more,
            first=None if after is None else choice.address(order=order),
            searched=found.searched,
            matching=_matching(store, choice, found, is_first=after is None),
        ),
    }


def _matching(store: Store, choice: TaskChoice, found: Found, *, is_first: bool) -> Counted:
    """How many match, or how many at least."""
    if is_first and (found.is_all or len(found.tasks) < PAGE):
        return Counted(len(found.tasks), is_all=found.is_all)
    counted = store.tasks.count_within(choice.filter, limit=MAX_COUNTED, scan=COUNT_SCAN)
    return counted._replace(number=max(counted.number, len(found.tasks)))


def _live_address(request: Request) -> str:
    query = request.url.query
    return f"{request.url.path}/live" + (f"?{query}" if query else "")
