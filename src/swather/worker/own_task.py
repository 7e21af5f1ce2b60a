"""Tasks of the worker on a loop that it shares with scrapers."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_Task = asyncio.Task
_unregister = asyncio.tasks._unregister_task  # noqa: SLF001 - documented for those who extend asyncio


def own_task(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]
) -> "asyncio.Task[T]":
    """A task that asyncio.all_tasks does not show: a scraper that cancels all tasks means its own,
    and would cancel the worker, and every other target on the loop.
    """
    task = _Task(coroutine, loop=loop)
    _unregister(task)
    return task
