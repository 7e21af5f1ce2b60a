"""One action: how far it has come, how it ended, and the way back."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from swather.api.served import TheServed, TheStore
from swather.store import Store
from swather.web import action_links
from swather.web.drawing import page, part
from swather.web.live import Regions, stream
from swather.web.task_choice import Verb

router = APIRouter(include_in_schema=False)

Number = Annotated[int, Path(ge=1, le=(1 << 63) - 1)]


@router.get("/actions/{number}")
def action_page(request: Request, store: TheStore, number: Number) -> Response:
    return page(request, "actions.html", {"number": number, **_regions(store, number)})


@router.get("/actions/{number}/live")
async def action_live(request: Request, served: TheServed, number: Number) -> Response:
    return stream(request, served, lambda store: _regions(store, number))


def _regions(store: Store, number: int) -> Regions:
    action = store.actions.get(number)
    verb = next((each for each in Verb if each.name_in_log == action.verb), None)
    return {
        "action": part(
            "actions_state.html",
            action=action,
            verb=verb,
            subject_address=action_links.subject_address(action),
            tasks_address=action_links.tasks_address(action),
            again=None if verb is None else action_links.again_address(action, verb),
            undo=action_links.undo_address(action) if verb is Verb.CANCEL else None,
        )
    }
