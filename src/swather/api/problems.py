"""Errors as answers: problem details of RFC 9457."""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from swather.errors import (
    Closed,
    ConnectionLost,
    DatabaseBusy,
    DatabaseUnreachable,
    InputError,
    MissingExtra,
    NotFound,
    ResultsIncomplete,
    RunCancelled,
    RunLocked,
    StoreError,
    SwatherError,
    WorkerLeaving,
)
from swather.masking import masked

MEDIA_TYPE: Final = "application/problem+json"
_log = logging.getLogger(__name__)

# The first that fits.
_STATUS_OF: Final[tuple[tuple[type[SwatherError], HTTPStatus], ...]] = (
    (NotFound, HTTPStatus.NOT_FOUND),
    (RunCancelled, HTTPStatus.CONFLICT),
    (RunLocked, HTTPStatus.CONFLICT),
    (WorkerLeaving, HTTPStatus.CONFLICT),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
    (DatabaseBusy, HTTPStatus.SERVICE_UNAVAILABLE),
    (DatabaseUnreachable, HTTPStatus.SERVICE_UNAVAILABLE),
    (ConnectionLost, HTTPStatus.SERVICE_UNAVAILABLE),
    (ResultsIncomplete, HTTPStatus.SERVICE_UNAVAILABLE),
    (Closed, HTTPStatus.SERVICE_UNAVAILABLE),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
)


class Problem(BaseModel):
    """What went wrong, with which value, and what to do about it."""

    type: str = Field(default="about:blank", examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["there is no run '20260215_120000-books'"])
    command: str | None = Field(
        default=None, description="what to type, where that helps", examples=["swather fleet up"]
    )
    errors: list[dict[str, Any]] | None = Field(
        default=None, description="what is wrong with each value of the request"
    )


# Draws a problem as a page: for whom, what it is, and what to type.
Draw = Callable[[Request, HTTPStatus, str, str | None], Response]


class Refused(Exception):
    """A request that is answered with a problem."""

    def __init__(self, status: HTTPStatus, detail: str, *, command: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.command = command


def answer(
    status: HTTPStatus,
    detail: str,
    *,
    command: str | None = None,
    errors: list[dict[str, Any]] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    problem = Problem(
        title=status.phrase,
        status=status,
        detail=masked(detail),
        command=command,
        errors=errors,
    )
    return JSONResponse(
        problem.model_dump(exclude_none=True),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


def status_of(error: SwatherError) -> HTTPStatus:
    for kind, status in _STATUS_OF:
        if isinstance(error, kind):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


def wants_a_page(accept: str) -> bool:
    """Whether it is a person who looks at the answer."""
    return "text/html" in accept


def answer_errors(app: FastAPI, draw: Draw | None = None) -> None:
    """Every error that a route raises becomes a problem, and for people a page."""

    def answered(
        request: Request,
        status: HTTPStatus,
        detail: str,
        *,
        command: str | None = None,
        errors: list[dict[str, Any]] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Response:
        if draw is not None and wants_a_page(request.headers.get("accept", "")):
            page = draw(request, status, masked(detail), command)
            page.headers.update(headers or {})
            return page
        return answer(status, detail, command=command, errors=errors, headers=headers)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return answered(request, error.status, error.detail, command=error.command)

    @app.exception_handler(SwatherError)
    async def ours(request: Request, error: SwatherError) -> Response:
        return answered(request, status_of(error), str(error))

    @app.exception_handler(HTTPException)
    async def of_the_framework(request: Request, error: HTTPException) -> Response:
        headers = None if error.headers is None else dict(error.headers)
        return answered(request, HTTPStatus(error.status_code), str(error.detail), headers=headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = [
            {"where": ".".join(str(part) for part in each["loc"]), "message": each["msg"]}
            for each in error.errors()
        ]
        said = "; ".join(f"{each['where']}: {each['message']}" for each in errors)
        return answered(request, HTTPStatus.UNPROCESSABLE_ENTITY, said, errors=errors)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return answered(
            request,
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "the server failed unexpectedly; its log has the details",
        )
