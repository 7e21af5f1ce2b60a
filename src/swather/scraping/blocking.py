"""The context of plain functions: the same names, each verb blocking, one implementation."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swather.model.outcome import File
from swather.net.page import Page
from swather.scraping.attempt import Collected, RunInfo, TaskInfo, TaskLog
from swather.scraping.body import Fields, Headers

if TYPE_CHECKING:
    from swather.scraping.context import Context

Run = Callable[[Coroutine[Any, Any, Any]], Any]


class SyncContext:
    """One attempt on one target, as a plain function sees it.

    `run` runs a coroutine where the context lives and returns its result.
    """

    __slots__ = ("_context", "_run")

    def __init__(self, context: "Context", run: Run) -> None:
        self._context = context
        self._run = run

    @property
    def target(self) -> Any:
        return self._context.target

    @property
    def params(self) -> Any:
        return self._context.params

    @property
    def run(self) -> RunInfo:
        return self._context.run

    @property
    def page(self) -> Page | None:
        return self._context.page

    @property
    def url(self) -> str:
        return self._context.url

    @property
    def task(self) -> TaskInfo:
        return self._context.task

    @property
    def attempt(self) -> int:
        return self._context.attempt

    @property
    def cursor(self) -> Any:
        return self._context.cursor

    @property
    def log(self) -> TaskLog:
        return self._context.log

    def get(
        self,
        url: str | None = None,
        *,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,
        check: bool = True,
    ) -> Page:
        page: Page = self._run(
            self._context.get(url, headers=headers, params=params, timeout=timeout, check=check)
        )
        return page

    def post(
        self,
        url: str | None = None,
        *,
        data: bytes | str | Fields = None,
        json: Any = None,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,
        check: bool = True,
    ) -> Page:
        page: Page = self._run(
            self._context.post(
                url, data=data, json=json, headers=headers, params=params, timeout=timeout,
                check=check,
            )
        )  # fmt: skip
        return page

    def follow(
        self, url: str | None, *, priority: int | None = None, key: str | None = None
    ) -> bool:
        return self._context.follow(url, priority=priority, key=key)

    def add(
        self,
        target: Any,
        *,
        key: str | None = None,
        priority: int | None = None,
        lane: str | None = None,
        partition: str | None = None,
        due_in_seconds: float = 0.0,
    ) -> None:
        self._context.add(
            target, key=key, priority=priority, lane=lane, partition=partition,
            due_in_seconds=due_in_seconds,
        )  # fmt: skip

    def emit(self, item: Any, key: str | None = None) -> None:
        self._context.emit(item, key)

    def save(self, content: bytes | Path, name: str | None = None, media_type: str = "") -> File:
        file: File = self._run(self._context.save(content, name, media_type))
        return file

    def checkpoint(self, cursor: Any) -> None:
        self._run(self._context.checkpoint(cursor))

    def progress(
        self, done: float | None = None, total: float | None = None, note: str = ""
    ) -> None:
        self._run(self._context.progress(done, total, note))

    def sleep(self, seconds: float) -> None:
        self._run(self._context.sleep(seconds))

    def collected(self) -> Collected:
        return self._context.collected()
