"""The addresses of a server that only read, made of its routes and of what a database holds."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIRouter

from swather.api.routes import ROUTERS
from swather.model.task import State
from swather.web.pages import PAGES

# What begins or ends a session, and the content of files.
NOT_ASKED: Final = re.compile(r"/login|/logout|.*(/\{position\}|/zip|\.png|\.html)")
PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")


def addresses(known: Mapping[str, str], filters: Mapping[str, list[str]]) -> Iterator[str]:
    """Each route, and once more with each of its filters. `known`: what stands for a parameter of a
    path, by its name or by the word before it; a route with another one is left out.
    """
    for route in _routes((*ROUTERS, *PAGES)):
        if "GET" not in (route.methods or ()) or NOT_ASKED.fullmatch(route.path):
            continue
        path = PARAMETER.sub(
            lambda found, route=route: _value(found, route.path, known), route.path
        )
        if "{" in path:
            continue
        fields = list(_query_fields(route.dependant))
        needed = {
            name: filters[name][0] for name, is_needed in fields if is_needed and name in filters
        }
        yield _address(path, needed)
        for name, _ in fields:
            for value in filters.get(name, ()):
                yield _address(path, {**needed, name: value})


def states() -> list[str]:
    return [str(state) for state in State]


def _routes(routers: Any) -> Iterator[APIRoute]:
    for router in routers:
        for route in getattr(router, "routes", ()):
            if isinstance(route, APIRoute):
                yield route
            elif isinstance(inner := getattr(route, "original_router", None), APIRouter):
                yield from _routes([inner])


def _value(found: re.Match[str], path: str, known: Mapping[str, str]) -> str:
    before = path[: found.start()].rstrip("/").rpartition("/")[2]
    value = known.get(found[1]) or known.get(before)
    return found[0] if value is None else quote(value, safe="")


def _address(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def _query_fields(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    """Names, and whether they have to be given."""
    for field in dependant.query_params:
        yield field.alias, field.field_info.is_required()
    for inner in dependant.dependencies:
        yield from _query_fields(inner)
