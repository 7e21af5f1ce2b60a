"""Calls a scraper with a target, and takes what it returns or yields."""

import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from typing import Any

import msgspec

from swather.errors import InputError, Permanent, Transient
from swather.scraping.blocking import SyncContext
from swather.scraping.context import Context
from swather.scraping.instance import Instance


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a scraper may return instead of raising: whether it succeeded, and its items.

    `data` is one item or a list of them. Without success the attempt fails with `error`, and is
    tried again only with `retry`.
    """

    success: bool = True
    data: Any = None
    error: str = ""
    items_processed: int | None = None
    retry: bool = True


async def invoke(instance: Instance, context: Context) -> None:
    """Run an async scraper on the context's target; its items are then in the context, which can
    be used no more.
    """
    # In one coroutine: every further one would add a resume to each step of the scraper.
    try:
        if instance.is_generator:
            async with aclosing(instance.scrape(context, context.target)) as items:
                async for item in items:
                    context.emit(item)
            return
        returned = await instance.scrape(context, context.target)
        if type(returned) is dict:
            context.emit(returned)
        elif returned is not None:
            await _take(context, returned)
    finally:
        context._end()  # noqa: SLF001 - not for scrapers


async def _take(context: Context, returned: Any) -> None:
    if isinstance(returned, Result):
        if returned.items_processed is not None:
            await context.progress(done=returned.items_processed)
        returned = _data_of(returned)
    if isinstance(returned, AsyncIterator):
        async for item in returned:
            context.emit(item)
        return
    _emit(context, returned)


def invoke_blocking(instance: Instance, context: SyncContext) -> None:
    """As `invoke`, for a plain scraper, in this thread."""
    try:
        _invoke_blocking(instance, context)
    finally:
        context._end()  # noqa: SLF001 - not for scrapers


def _invoke_blocking(instance: Instance, context: SyncContext) -> None:
    if instance.is_generator:
        with closing(instance.scrape(context, context.target)) as items:
            for item in items:
                context.emit(item)
        return
    returned = instance.scrape(context, context.target)
    if returned is None:
        return
    if isinstance(returned, Result):
        if returned.items_processed is not None:
            context.progress(done=returned.items_processed)
        returned = _data_of(returned)
    _refuse_coroutine(instance, returned)
    _emit(context, returned)


def _data_of(result: Result) -> Any:
    if result.success:
        return result.data
    message = result.error or "the scraper returned success=False"
    raise Transient(message) if result.retry else Permanent(message)


def _emit(context: Context | SyncContext, returned: Any) -> None:
    if returned is None:
        return
    if isinstance(returned, list | Iterator) or type(returned) is tuple:
        for item in returned:
            context.emit(item)
    else:
        context.emit(returned)


def _refuse_coroutine(instance: Instance, returned: Any) -> None:
    if inspect.iscoroutine(returned):
        returned.close()
    elif not isinstance(returned, AsyncIterator):
        return
    raise InputError(
        f"the scraper {instance.scraper.name!r} is a plain function that returned an "
        "awaitable; write it with `async def`, or put @scraper nearest to the function"
    )
