"""The application: all routes, behind the guard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import APIRouter, FastAPI

from swather.api.guard import App, Guard
from swather.api.problems import Draw, Problem, answer_errors
from swather.api.recent import ForgetAfterChanges
from swather.api.routes import ROUTERS
from swather.api.served import Served
from swather.version import __version__

_ABOUT: Final = """\
Everything that the commands of Swather do, over HTTP. Names in answers are those of `--json`.

Every request needs `Authorization: Bearer TOKEN`; `swather serve` prints the token. Errors are
problem details (RFC 9457).
"""
_PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {
        "description": "The request cannot be fulfilled",
        "content": {"application/problem+json": {"schema": Problem.model_json_schema()}},
    },
    "503": {
        "description": "The database does not answer",
        "content": {"application/problem+json": {"schema": Problem.model_json_schema()}},
    },
}


def new_app(
    served: Served,
    *pages: APIRouter,
    names: frozenset[str] = frozenset(),
    draw: Draw | None = None,
) -> App:
    """The application behind its guard; `pages` are those of the dashboard, and `draw` makes a page
    of a problem.
    """
    app = _app(*pages)
    app.state.served = served
    app.add_middleware(ForgetAfterChanges, recent=served.recent)
    answer_errors(app, draw)
    return Guard(app, tokens=served.tokens, names=names, draw=draw)


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    return _app().openapi()


def _app(*pages: APIRouter) -> FastAPI:
    app = FastAPI(
        title="Swather",
        version=__version__,
        description=_ABOUT,
        lifespan=_lifespan,
        responses=_PROBLEMS,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    # Routes are tried in their order, which takes a fifth of a page's time if pages come last.
    for router in (*pages, *ROUTERS):
        app.include_router(router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    await app.state.served.live.close()
