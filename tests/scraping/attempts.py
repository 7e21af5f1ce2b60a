"""What tests of scrapers begin with: a context whose verbs write down what they are asked."""

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import msgspec

from swather.model.lease import Lease
from swather.model.outcome import File
from swather.model.retry import Faults
from swather.model.source import SourceState
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.blocking import SyncContext
from swather.scraping.context import Collected, Context, RunInfo
from swather.scraping.instance import Instance
from swather.scraping.invoke import invoke, invoke_blocking
from swather.scraping.notes import Notes
from swather.scraping.scraper import Scraper, scraper

RUN = RunInfo(1, "20260215_120000-books", "v1")


class FakeVerbs:
    """Answers with the pages it was given, by URL, and remembers everything else."""

    def __init__(self, pages: dict[str, Page] | None = None) -> None:
        self.pages = pages or {}
        self.notes = Notes()
        self.requests: list[Request] = []
        self.checkpoints: list[tuple[Any, Collected]] = []
        self.told: list[Any] = []
        self.recalled: list[tuple[list[str], float | None]] = []
        self.saved: list[tuple[bytes | Path, str | None, str]] = []
        self.checkpoint_raises: Exception | None = None
        self.checkpoint_seconds = 0.0

    async def fetch(self, request: Request) -> Page:
        self.requests.append(request)
        return self.pages.get(request.url, Page(url=request.url))

    async def checkpoint(self, cursor: Any, collected: Collected) -> None:
        if self.checkpoint_raises is not None:
            raise self.checkpoint_raises
        await asyncio.sleep(self.checkpoint_seconds)
        self.checkpoints.append((cursor, collected))

    async def ask_source(self, name: str) -> SourceState:
        return SourceState(is_open=name == "open", retry_in=60.0, reason="HTTP 500")

    async def recall(self, keys: Collection[str], max_age_seconds: float | None) -> dict[str, Any]:
        self.recalled.append((list(keys), max_age_seconds))
        return {}

    async def progress(self, data: Any) -> None:
        self.told.append(data)

    async def save(self, content: bytes | Path, name: str | None, media_type: str) -> File:
        self.saved.append((content, name, media_type))
        return File(name=name or "a", sha256="0" * 64, size_bytes=1, media_type=media_type)


@scraper
async def nothing(ctx, target):
    """Do nothing."""


def lease(target: Any = "https://example.com/", **fields: Any) -> Lease:
    given = {
        "task_id": 7, "token": 9, "run_id": 1, "priority": 5, "lane": "example.com",
        "partition": "", "parent_id": None, "faults": Faults(),
    }  # fmt: skip
    return Lease(target=target, **{**given, **fields})


def context(
    target: Any = "https://example.com/",
    *,
    of: Scraper = nothing,
    verbs: FakeVerbs | None = None,
    params: Any = None,
    run: RunInfo = RUN,
    **fields: Any,
) -> Context:
    return Context(
        scraper=of,
        lease=lease(target, **fields),
        run=run,
        params=params,
        verbs=verbs or FakeVerbs(),
    )


def run_on(made: Scraper, target: Any = "https://example.com/", **fields: Any) -> Collected:
    """Call a scraper with a target, as a worker does, and give what it produced."""
    ctx = context(target, of=made, **fields)
    if made.is_async:
        asyncio.run(invoke(Instance(made), ctx))
    else:
        invoke_blocking(Instance(made), SyncContext(ctx, asyncio.run))
    return ctx.collected()


def data_of(collected: Collected) -> list[Any]:
    return [msgspec.json.decode(item.data) for item in collected.items]


def raised_by(function: Callable[[], Any]) -> BaseException:
    """The exception a call raises, with its traceback."""
    try:
        function()
    except BaseException as error:  # noqa: BLE001 - it is what the test looks at
        return error
    raise AssertionError("nothing was raised")
