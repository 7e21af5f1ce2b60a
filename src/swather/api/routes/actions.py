"""The log of actions over HTTP: who did what, and how far it is."""

from typing import Annotated, Any

from fastapi import Path, Query

from swather.api import answers
from swather.api.answers import Page, shown
from swather.api.parameters import MAX_ID, Limit, new_router
from swather.api.served import TheStore

router = new_router("actions")


class ActionPage(Page):
    """What people did, the newest first."""

    actions: list[answers.Action]


@router.get("", response_model=ActionPage)
def list_actions(
    store: TheStore,
    before: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="Where the last part ended: its `next`.")
    ] = None,
    limit: Limit = 100,
) -> Any:
    """What people did through the API and the dashboard, the newest first."""
    found = store.actions.find(before_id=before, limit=limit)
    position = str(found[-1].id) if len(found) == limit else None
    return shown({"actions": found, "next": position})


@router.get("/{action}", response_model=answers.Action)
def get_action(
    store: TheStore,
    action: Annotated[int, Path(ge=1, le=MAX_ID, description="Its number.", examples=[42])],
) -> Any:
    """One action: ask again until its `state` is `done` or `failed`."""
    return shown(store.actions.get(action))
