"""Problems as pages, for people."""

from http import HTTPStatus
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from swather.web.drawing import page

_TITLES: Final = {
    HTTPStatus.FORBIDDEN: "This is not allowed",
    HTTPStatus.NOT_FOUND: "There is nothing here",
    HTTPStatus.METHOD_NOT_ALLOWED: "This cannot be done here",
    HTTPStatus.CONFLICT: "This cannot be done now",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "This is too large",
    HTTPStatus.MISDIRECTED_REQUEST: "This server has another name",
    HTTPStatus.UNPROCESSABLE_ENTITY: "This does not fit",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed",
    HTTPStatus.SERVICE_UNAVAILABLE: "The database cannot be used for this now",
}
# What the framework says of an address that it does not know.
_DETAILS: Final = {"Not Found": "No page has this address."}


def draw_problem(
    request: Request, status: HTTPStatus, detail: str, command: str | None
) -> Response:
    values = {
        "title": _TITLES.get(status, status.phrase),
        "detail": _DETAILS.get(detail, detail),
        "typed": command,
    }
    return page(request, "error.html", values, status=status)
