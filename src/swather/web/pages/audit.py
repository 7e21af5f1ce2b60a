"""The audit log: everything that people did through the API and these pages, the newest first."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from swather.api.served import TheServed, TheStore
from swather.store import Store
from swather.web.action_links import subject_address
from swather.web.drawing import page, part
from swather.web.live import Regions, stream

router = APIRouter(include_in_schema=False)

PAGE: Final = 100
_BASE: Final = "/audit"

Before = Annotated[int | None, Query(ge=1, le=(1 << 63) - 1)]


@router.get(_BASE)
def audit_page(request: Request, store: TheStore, before: Before = None) -> Response:
    values = {"before": before, "actions": _rows(store, before)}
    return page(request, "audit.html", values)


@router.get(f"{_BASE}/live")
async def audit_live(request: Request, served: TheServed) -> Response:
    def read(store: Store) -> Regions:
        return {"actions": _rows(store, None)}

    return stream(request, served, read)


def _rows(store: Store, before: int | None) -> str:
    actions = store.actions.find(before_id=before, limit=PAGE)
    return part(
        "audit_rows.html",
        rows=[(action, subject_address(action)) for action in actions],
        more=f"{_BASE}?before={actions[-1].id}" if len(actions) == PAGE else "",
        first="" if before is None else _BASE,
    )
