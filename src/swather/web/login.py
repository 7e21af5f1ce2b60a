"""Logging in and out."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from swather.api.served import TheServed
from swather.api.sessions import COOKIE, LASTING_SECONDS, new_session
from swather.web.drawing import page

router = APIRouter(include_in_schema=False)


@router.get("/login")
def login_page(request: Request, served: TheServed, token: str = "") -> Response:
    """Also what a person is shown who has not logged in, and what the printed link opens."""
    wanted = getattr(request.state, "wanted", None)
    if wanted is not None:
        return _asked(request, wanted, status=401)
    if not token:
        return _asked(request, "/")
    return _let_in(request, served, token, "/")


@router.post("/login")
def log_in(
    request: Request,
    served: TheServed,
    token: Annotated[str, Form()] = "",
    wanted: Annotated[str, Form()] = "/",
) -> Response:
    return _let_in(request, served, token, wanted)


@router.post("/logout")
def log_out() -> Response:
    answer = RedirectResponse("/login", status_code=HTTPStatus.SEE_OTHER)
    answer.delete_cookie(COOKIE, path="/")
    return answer


def _asked(request: Request, wanted: str, *, status: int = 200, wrong: bool = False) -> Response:
    return page(request, "login.html", {"wanted": wanted, "wrong": wrong}, status=status)


def _let_in(request: Request, served: TheServed, token: str, wanted: str) -> Response:
    found = served.tokens.role_of(token.strip())
    if found is None:
        return _asked(request, wanted, status=401, wrong=True)
    # Only ever to a page of this server.
    own = wanted if wanted.startswith("/") and wanted[1:2] not in ("/", "\\") else "/"
    answer = RedirectResponse(own, status_code=HTTPStatus.SEE_OTHER)
    answer.set_cookie(
        COOKIE,
        new_session(served.tokens, found),
        max_age=LASTING_SECONDS,
        httponly=True,
        samesite="lax",
        secure=_is_encrypted(request),
        path="/",
    )
    return answer


def _is_encrypted(request: Request) -> bool:
    """Also by what a proxy in front says. Who lies here only gets a cookie that is of no use."""
    said = request.headers.get("x-forwarded-proto", request.url.scheme)
    return said.lower() == "https"
