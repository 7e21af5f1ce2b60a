"""The parts of an attempt: the verbs behind a context, its run and task, and what it produced."""

import logging
from collections.abc import Callable, Collection, Coroutine, Mapping, MutableMapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from swather.model.outcome import File, Item, Memory
from swather.model.source import SourceState
from swather.model.task import Target
from swather.net.download import Download
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.notes import Notes
from swather.scraping.rendering import Browsing, Rendered, Rendering

if TYPE_CHECKING:
    from swather.net.browser.tab import Tab

# What can be saved as a file.
Content = bytes | Path | Download

# Runs a coroutine on the loop of an attempt's verbs, and returns its result.
RunCoroutine = Callable[[Coroutine[Any, Any, Any]], Any]


class Verbs(Protocol):
    """What a context needs from its runner. Each verb raises LeaseLost when the lease is gone."""

    @property
    def notes(self) -> Notes:
        """What the attempt notes besides its results."""
        ...

    async def fetch(self, request: Request) -> Page:
        """The page, once its lane lets the request start, if robots.txt allows it."""
        ...

    async def download(self, request: Request, max_bytes: int | None) -> Download:
        """The same, with the body as a file that is removed with the attempt unless it is saved."""
        ...

    def browse(self, browsing: Browsing) -> AbstractAsyncContextManager["Tab"]:
        """A page of the browser, whose every request waits for its lane and obeys robots.txt."""
        ...

    async def render(self, rendering: Rendering) -> Rendered:
        """A page as its scripts have left it."""
        ...

    async def new_identity(self) -> None:
        """Leave as somebody else from the next request on."""
        ...

    async def checkpoint(self, cursor: Any, collected: "Collected") -> None: ...
    async def progress(self, data: Any) -> None: ...
    async def save(self, content: Content, name: str | None, media_type: str) -> File: ...
    async def files_named(self, names: Collection[str]) -> set[str]: ...
    async def ask_source(self, name: str) -> SourceState: ...
    async def recall(
        self, keys: Collection[str], max_age_seconds: float | None
    ) -> dict[str, Any]: ...


class RunInfo(NamedTuple):
    """The run a target belongs to."""

    id: int
    name: str
    version: str = ""
    files_folder: str = ""


class TaskInfo(NamedTuple):
    """The task as it was claimed; `failures` counts its attempts that failed by themselves: not
    those that were blocked, or lost with their proxy or worker.
    """

    id: int
    token: int
    priority: int
    lane: str
    partition: str
    parent_id: int | None
    failures: int = 0


class Collected(NamedTuple):
    """What an attempt has produced since its last checkpoint, as part number `part`."""

    items: list[Item]
    children: list[Target]
    files: list[File]
    memories: list[Memory]
    part: int
    rejected: Mapping[str, int] = MappingProxyType({})


class TaskLog(logging.LoggerAdapter[logging.Logger]):
    """A logger whose records carry `run` and `task`, and whose lines are kept with the task."""

    def __init__(self, logger: logging.Logger, extra: dict[str, object], notes: Notes) -> None:
        super().__init__(logger, extra)
        self._notes = notes

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        self._notes.keep(level, msg, args)
        super().log(level, msg, *args, **kwargs)

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs
