"""The page of settings: what applies where this server runs, where it comes from, and what
everybody on the database shares.
"""

from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather import settings_row, settings_sources
from swather.api import setting_changes
from swather.api.parameters import Do
from swather.api.problems import Refused
from swather.api.served import Served, TheServed, TheStore
from swather.errors import BadSetting
from swather.masking import masked_data
from swather.runs.settings_in_force import InForce, settings_in_force
from swather.store import Store
from swather.web.drawing import page

router = APIRouter(include_in_schema=False)


@router.get("/settings")
def settings_page(
    request: Request,
    served: TheServed,
    store: TheStore,
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    row = store.settings.all()
    found = [
        each
        for each in _in_force(served, row)
        if q.strip().lower() in f"{each.name} {each.what}".lower()
    ]
    values = {"settings": found, "row": row, "may_change": settings_row.IN_THE_ROW, "q": q}
    return page(request, "settings.html", values)


@router.get("/settings/{name}")
def setting_page(request: Request, served: TheServed, store: TheStore, name: str) -> Response:
    return _setting(request, served, store, name)


@router.post("/settings/{name}")
def change(
    request: Request,
    served: TheServed,
    store: TheStore,
    do: Do,
    name: str,
    value: Annotated[str, Form(max_length=2_000)] = "",
) -> Response:
    """Kept in the settings row, for everyone on this database."""
    _known(name)
    try:
        kept = settings_sources.checked(name, value)
    except BadSetting as error:
        return _setting(request, served, store, name, typed=value, error=str(error))
    setting_changes.set_setting(do, name, kept)
    return _back(name)


@router.post("/settings/{name}/unset")
def unset(do: Do, name: str) -> Response:
    """What files, decorators or the default say applies again."""
    _known(name)
    setting_changes.unset_setting(do, name)
    return _back(name)


def _known(name: str) -> None:
    if name not in {each for each, _, _ in settings_sources.described()}:
        raise Refused(HTTPStatus.NOT_FOUND, f"{name!r} is not a setting")


def _in_force(served: Served, row: dict[str, Any]) -> list[InForce]:
    db = served.settings.db
    named = {} if settings_sources.read().settings.db == db else {"db": db}
    return settings_in_force(named, row)


def _setting(
    request: Request,
    served: Served,
    store: Store,
    name: str,
    *,
    typed: str | None = None,
    error: str = "",
) -> Response:
    row = store.settings.all()
    found = next((each for each in _in_force(served, row) if each.name == name), None)
    if found is None:
        raise Refused(HTTPStatus.NOT_FOUND, f"{name!r} is not a setting")
    in_row = masked_data({name: row[name]})[name] if name in row else None
    values = {
        "setting": found,
        "may_change": name in settings_row.IN_THE_ROW,
        "in_row": in_row,
        "is_overridden": in_row is not None and found.origin != settings_sources.ROW,
        "typed": typed if typed is not None else "" if in_row is None else str(in_row),
        "error": error,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK
    return page(request, "setting.html", values, status=status)


def _back(name: str) -> Response:
    return RedirectResponse(f"/settings/{quote(name, safe='')}", HTTPStatus.SEE_OTHER)
