"""The page of proxies: a map of proxies and sites, and which are used at all."""

from collections import Counter
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from swather.api import proxy_changes
from swather.api.parameters import Do
from swather.api.served import TheServed, TheStore
from swather.model.action import ActionVerb
from swather.model.proxy import ProxyFilter, ProxyRow, ProxyState
from swather.runs import proxy_facts
from swather.runs.words import command, count
from swather.store import Store
from swather.web.drawing import page, part
from swather.web.live import Regions, stream
from swather.web.pages.proxies_map import map_of

router = APIRouter(include_in_schema=False)

# Proxies on a page, and those that are looked at in all.
PAGE: Final = 50
MOST: Final = 20_000

Text = Annotated[str, Query(max_length=200)]
FormText = Annotated[str, Form(max_length=200)]
State = ProxyState | Literal[""]
Number = Annotated[int, Query(alias="page", ge=1, le=MOST)]


def _in_address(text: Text = "", state: State = "") -> ProxyFilter:
    return _filter(text, state)


def _in_form(text: FormText = "", state: Annotated[State, Form()] = "") -> ProxyFilter:
    return _filter(text, state)


def _filter(text: str, state: State) -> ProxyFilter:
    return ProxyFilter(text=text.strip(), state=state or None)


InAddress = Annotated[ProxyFilter, Depends(_in_address)]
InForm = Annotated[ProxyFilter, Depends(_in_form)]


@router.get("/proxies")
def proxies_page(
    request: Request, store: TheStore, which: InAddress, number: Number = 1
) -> Response:
    everything = _with_text(store, which)
    values = {
        "which": which,
        "some": bool(which.text or everything),
        "typed": command("proxies", "import", "proxies.txt", url=store.url),
        "live_address": _address(which, which.state, number, path="/proxies/live"),
        **_regions(store, everything, which, number),
    }
    return page(request, "proxies.html", values)


@router.get("/proxies/live")
async def proxies_live(
    request: Request, served: TheServed, which: InAddress, number: Number = 1
) -> Response:
    return stream(
        request, served, lambda store: _regions(store, _with_text(store, which), which, number)
    )


def _with_text(store: Store, which: ProxyFilter) -> list[ProxyRow]:
    """In any state: all states are counted."""
    return store.proxies.find(ProxyFilter(text=which.text), limit=MOST)


def _regions(store: Store, everything: list[ProxyRow], which: ProxyFilter, number: int) -> Regions:
    found = [row for row in everything if which.state in (None, row.state)]
    shown = found[(number - 1) * PAGE : number * PAGE]
    sites = store.proxies.sites([row.id for row in shown])
    counts = Counter(row.state for row in everything)
    states = [(state, counts[state], _address(which, state)) for state in ProxyState]
    return {
        "states": part(
            "proxies_states.html",
            which=which,
            total=len(everything),
            states=states,
            all_address=_address(which, None),
        ),
        "asks": part(
            "proxies_asks.html",
            found=len(found),
            ask_disable=_ask(which, "disable"),
            ask_enable=_ask(which, "enable"),
        ),
        "proxies": part(
            "proxies_rows.html",
            map=map_of(shown, sites, datetime.now(UTC).timestamp()),
            found=len(found),
            first=(number - 1) * PAGE + 1,
            previous=_address(which, which.state, number - 1) if number > 1 else "",
            next=_address(which, which.state, number + 1) if number * PAGE < len(found) else "",
        ),
    }


@router.get("/proxies/{proxy_id:int}")
def proxy_page(request: Request, store: TheStore, proxy_id: int) -> Response:
    now = datetime.now(UTC)
    detail = store.proxies.get(proxy_id)
    headers, rows = proxy_facts.sites_of(detail, now)
    values = {
        "proxy": detail.proxy,
        "facts": [*proxy_facts.facts_of(detail.proxy, now)],
        "headers": headers,
        "rows": rows,
    }
    return page(request, "proxy.html", values)


@router.post("/proxies/{proxy_id:int}/enable")
def enable(store: TheStore, do: Do, proxy_id: int) -> Response:
    """It also leaves the blacklist, on all sites."""
    shown = store.proxies.get(proxy_id).proxy.url
    do.now(ActionVerb.PROXY_ENABLE, shown, lambda own: own.proxies.enable([proxy_id]))
    return _back("/proxies")


@router.post("/proxies/{proxy_id:int}/disable")
def disable(store: TheStore, do: Do, proxy_id: int) -> Response:
    shown = store.proxies.get(proxy_id).proxy.url
    do.now(ActionVerb.PROXY_DISABLE, shown, lambda own: own.proxies.disable([proxy_id]))
    return _back("/proxies")


@router.get("/proxies/confirm")
def ask(request: Request, store: TheStore, which: InAddress, verb: str) -> Response:
    number = len(_matching(store, which))
    words = count(number, "proxy", "proxies")
    is_enabling = verb == "enable"
    values = {
        "title": f"Enable {words}?" if is_enabling else f"Disable {words}?",
        "text": "They leave the blacklist, on all sites; what was counted stays."
        if is_enabling
        else "Workers stop using them within two seconds, until they are enabled again.",
        "action": "/proxies/enable" if is_enabling else "/proxies/disable",
        "fields": {"text": which.text, "state": str(which.state or "")},
        "button": f"{'Enable' if is_enabling else 'Disable'} {words}",
        "kind": "primary" if is_enabling else "danger",
        "back": _address(which, which.state),
    }
    return page(request, "confirm.html", values)


@router.post("/proxies/enable")
def enable_all(store: TheStore, do: Do, which: InForm) -> Response:
    ids = [row.id for row in _matching(store, which)]
    proxy_changes.enable_proxies(do, ids, _detail(which))
    return _back(_address(which, None))


@router.post("/proxies/disable")
def disable_all(store: TheStore, do: Do, which: InForm) -> Response:
    ids = [row.id for row in _matching(store, which)]
    proxy_changes.disable_proxies(do, ids, _detail(which))
    return _back(_address(which, None))


def _matching(store: Store, which: ProxyFilter) -> list[ProxyRow]:
    return store.proxies.find(which, limit=MOST)


def _detail(which: ProxyFilter) -> dict[str, str]:
    return {"text": which.text, "state": str(which.state or "any")}


def _address(
    which: ProxyFilter, state: ProxyState | None, number: int = 1, *, path: str = "/proxies"
) -> str:
    given = {"text": which.text, "state": str(state or ""), "page": str(number)}
    fields = {name: value for name, value in given.items() if value and (name, value) != _FIRST}
    return f"{path}?{urlencode(fields)}" if fields else path


_FIRST: Final = ("page", "1")


def _ask(which: ProxyFilter, verb: str) -> str:
    fields = {"text": which.text, "state": str(which.state or ""), "verb": verb}
    return f"/proxies/confirm?{urlencode(fields)}"


def _back(address: str) -> Response:
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)
