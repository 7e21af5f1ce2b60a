"""What went wrong, over all runs: groups of failures that look the same."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.error_changes import mute_errors
from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.model.history_details import GroupTimes
from swather.runs.group_times import DAY
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.error_rows import kinds_of
from swather.web.group_sparks import keys_of
from swather.web.live import Regions, stream
from swather.web.slow_reads import Slowly

router = APIRouter(include_in_schema=False)

MOST: Final = 50
# Groups of runs that are read; the same failure in several runs is shown once.
LATEST: Final = 200
Show = Annotated[str, Query(pattern="^(open|muted)$")]


@router.get("/errors")
def errors_page(request: Request, store: TheStore, show: Show = "open") -> Response:
    return page(request, "errors.html", {"show": show, **_regions(store, show, Slowly())})


@router.get("/errors/live")
async def errors_live(request: Request, served: TheServed, show: Show = "open") -> Response:
    times: Slowly[GroupTimes] = Slowly()
    return stream(request, served, lambda store: _regions(store, show, times))


@router.post("/errors/mute")
def mute(
    do: Do,
    run: Annotated[str, Form(max_length=500)],
    group: Annotated[str, Form(max_length=200)],
    muted: Annotated[bool, Form()],
) -> Response:
    """A group that people know of, and do not want to see. It is still counted."""
    mute_errors(do, run, group, muted=muted)
    back = "/errors" if muted else "/errors?show=muted"
    return RedirectResponse(back, status_code=HTTPStatus.SEE_OTHER)


def _regions(store: Store, show: str, times: Slowly[GroupTimes]) -> Regions:
    found = store.results.error_groups(limit=LATEST)
    when = times.read(lambda: store.history.group_times(keys_of(found), seconds=DAY))
    chosen = [group for group in found if group.muted == (show == "muted")]
    values = {
        "kinds": kinds_of(store, chosen, when, MOST),
        "is_all": len(found) < LATEST,
        "show": show,
    }
    return {"groups": part("errors_groups.html", **values)}
