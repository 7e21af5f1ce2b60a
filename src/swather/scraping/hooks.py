"""Hooks that a user adds to a scraper: on each request, on each item."""

import inspect
from collections.abc import Callable
from typing import Any, Final

from swather.errors import InputError
from swather.net.request import Request

RequestHook = Callable[[Request], Request | None]
ItemHook = Callable[[Any], Any]


class Hooks:
    """In the order in which they were added; empty for most scrapers."""

    __slots__ = ("items", "requests")

    def __init__(self) -> None:
        self.requests: list[RequestHook] = []
        self.items: list[ItemHook] = []

    def changed(self, request: Request) -> Request:
        """The request as changed by the hooks; a hook that returns None leaves it unchanged."""
        for hook in self.requests:
            given = hook(request)
            if given is not None and not isinstance(given, Request):
                kind = type(given).__name__  # not the value: headers hold secrets
                raise InputError(
                    f"on_request: {_name_of(hook)} must return a Request or None, got a {kind}"
                )
            request = given or request
        return request

    def passed(self, item: Any) -> Any:
        """The item as the hooks leave it, or DROPPED."""
        for hook in self.items:
            item = hook(item)
            if item is None:
                return DROPPED
        return item


DROPPED: Final = object()


def checked(hook: Callable[..., Any], event: str) -> None:
    if not callable(hook):
        raise InputError(f"{event}: expected a function of one argument, got {hook!r}")
    if inspect.iscoroutinefunction(hook) or inspect.isgeneratorfunction(hook):
        raise InputError(f"{event}: {_name_of(hook)} must be a plain function that returns")
    try:
        inspect.signature(hook).bind(None)
    except TypeError as error:
        raise InputError(f"{event}: {_name_of(hook)} must take one argument: {error}") from error
    except ValueError:
        return


def _name_of(hook: Callable[..., Any]) -> str:
    return getattr(hook, "__name__", None) or repr(hook)
