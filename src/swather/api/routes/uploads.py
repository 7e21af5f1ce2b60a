"""Targets by the million, over HTTP: a file of them is sent as the body of a request, and loaded
while it arrives.
"""

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Annotated, Any, Final

from anyio import from_thread
from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from swather.api import answers_results as answers
from swather.api import turns
from swather.api.parameters import Do, RunAlone, new_router
from swather.api.problems import Refused
from swather.api.served import TheServed
from swather.api.starting import registered_scraper
from swather.model.action import ActionVerb
from swather.runs.layout import Layout
from swather.runs.order import Order
from swather.runs.queued_run import QueuedRun
from swather.runs.target_options import OptionTexts
from swather.runs.targets import Form
from swather.runs.upload import Upload

router = new_router("uploads")

_FORMS: Final = {
    "text/plain": Form.TEXT,
    "text/csv": Form.CSV,
    "application/x-ndjson": Form.JSON_LINES,
    "application/jsonl": Form.JSON_LINES,
}
_LINES: Final = {"type": "string", "format": "binary"}
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "A target on each line.",
        "content": {
            "text/plain": {"schema": _LINES, "example": "https://example.com/book/1\n"},
            "text/csv": {"schema": _LINES, "example": "url,rank\nhttps://example.com/book/1,9\n"},
            "application/x-ndjson": {"schema": _LINES, "example": '"https://example.com/book/1"\n'},
        },
    }
}
Column = Annotated[str | None, Field(max_length=500)]


class Given(BaseModel):
    """How the lines are to be read."""

    model_config = ConfigDict(extra="forbid")

    form: Form | None = Field(default=None, description="By default, what the Content-Type says.")
    column: Column = Field(default=None, description="The CSV column or JSON member to scrape.")
    key: Column = Field(default=None, description="The column that tells targets apart.")
    priority_column: Column = None
    lane_column: Column = None
    partition_column: Column = None
    due_column: Column = None
    header: bool | None = Field(default=None, description="Whether the first CSV line is one.")
    rows: bool = Field(default=False, description="A target is a whole CSV row.")
    skip_bad: bool = Field(default=False, description="Skip lines without a usable target.")
    limit: int | None = Field(default=None, ge=1, le=2**31, description="At most so many.")


@router.post("/{run}", response_model=answers.Uploaded, openapi_extra=_BODY)
async def upload_targets(
    request: Request,
    served: TheServed,
    do: Do,
    run: RunAlone,
    given: Annotated[Given, Query()],
) -> Any:
    """Add targets to a run of a registered scraper, from text, CSV or JSON lines of any length; a
    finished run opens again. Those that it has already are left alone.

    The first bad line ends it, unless `skip_bad`; targets before that line may have been loaded,
    which the problem says. Until the same targets are sent again, the run is `load_incomplete`. An
    upload of which nothing comes for a minute is ended with 408.
    """
    form = given.form or _form_of(request)
    body = request.stream()

    async def next_chunk() -> bytes:
        try:
            async with asyncio.timeout(turns.IDLE_SECONDS):
                return await anext(body, b"")
        except TimeoutError:
            raise _idle() from None
        except ClientDisconnect:
            raise Refused(HTTPStatus.BAD_REQUEST, "the client left before all had come") from None

    def chunks() -> Iterator[bytes]:
        while chunk := from_thread.run(next_chunk):
            yield chunk

    def load() -> dict[str, Any]:
        upload = Upload(
            chunks=chunks(),
            form=form,
            layout=_layout(given),
            skip_bad=given.skip_bad,
            limit=given.limit,
        )
        order = Order(
            scraper=registered_scraper(run.scraper),
            source=upload,
            options={"db": served.stores.url},
            resume=run.name,
            is_remote=True,
        )
        with (
            served.stores.uploads.taken(),
            do.noted(ActionVerb.RUN_UPLOAD, run.name, {"form": str(form)}) as advance,
            QueuedRun(order) as queued,
        ):
            loaded = queued.load(lambda so_far: advance(so_far.added))
            advance(loaded.added)
            return {
                "run": run.name,
                "enqueued": loaded.added,
                "duplicates": loaded.duplicates,
                "skipped": loaded.skipped,
                "skipped_lines": [line.strip() for line in loaded.skipped_lines()[1:]],
                "notes": queued.notes,
            }

    return await run_in_threadpool(load)


def _idle() -> HTTPException:
    """The rest of the body is not waited for."""
    return HTTPException(
        HTTPStatus.REQUEST_TIMEOUT,
        f"nothing has come for {turns.IDLE_SECONDS:g} seconds, so the upload was ended; send the "
        "same targets again: those that are loaded are skipped",
        headers={"connection": "close"},
    )


def _layout(given: Given) -> Layout:
    return Layout(
        column=given.column,
        key=given.key,
        options=OptionTexts(
            priority=given.priority_column,
            lane=given.lane_column,
            partition=given.partition_column,
            due=given.due_column,
        ),
        header=given.header,
        rows=given.rows,
    )


def _form_of(request: Request) -> Form:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in _FORMS:
        known = ", ".join(_FORMS)
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"the Content-Type must be one of {known}, or name the form: ?form=txt|csv|jsonl; got "
            f"{given!r}",
        )
    return _FORMS[given]
