"""A page of the browser for plain functions: each call runs on the loop where the page lives."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Final

# These keep a function and call it later, on the loop; ours would block it there.
_TAKE_HANDLERS: Final = frozenset(
    {"add_locator_handler", "expose_binding", "expose_function", "on", "once", "route",
     "route_web_socket"}
)  # fmt: skip
_WRAPPED: Final = ("playwright.", "swather.net.browser")

# Runs a coroutine where the page lives, and returns its result.
RunCoroutine = Callable[[Coroutine[Any, Any, Any]], Any]


class BlockingPage:
    """An object of Playwright's, or our page, with the same names. What a method returns can be
    used at once; what is an object of Playwright's itself is wrapped in the same way.
    """

    __slots__ = ("_run", "_wrapped")

    def __init__(self, wrapped: Any, run: RunCoroutine) -> None:
        self._wrapped = wrapped
        self._run = run

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._wrapped, name)
        if inspect.isawaitable(found):
            return self._run(self._awaited(found))
        if not callable(found):
            return self._wrap(found)

        def call(*arguments: Any, **keywords: Any) -> Any:
            give = self._as_handler if name in _TAKE_HANDLERS else self._as_argument
            return self._run(
                self._called(
                    found,
                    [give(argument) for argument in arguments],
                    {key: give(value) for key, value in keywords.items()},
                )
            )

        return call

    def __enter__(self) -> Any:
        return self._run(self._awaited(self._wrapped.__aenter__()))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        return self._run(self._awaited(self._wrapped.__aexit__(kind, error, trace)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._wrapped!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockingPage) and self._wrapped == other._wrapped

    def __hash__(self) -> int:
        return hash(self._wrapped)

    async def _called(
        self, method: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """On the loop, where Playwright wants to be called, also for what it does at once."""
        found = method(*arguments, **keywords)
        return await self._awaited(found) if inspect.isawaitable(found) else self._wrap(found)

    async def _awaited(self, awaitable: Any) -> Any:
        return self._wrap(await awaitable)

    def _wrap(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._wrap(one) for one in value]
        if type(value).__module__.startswith(_WRAPPED) and not isinstance(value, dict | str):
            return BlockingPage(value, self._run)
        return value

    def _as_argument(self, value: Any) -> Any:
        """A condition that Playwright asks on the loop sees what needs no waiting."""
        if isinstance(value, BlockingPage):
            return value._wrapped  # noqa: SLF001 - of this class
        if inspect.isroutine(value):
            return lambda *given: value(*map(self._wrap, given))
        return value

    def _as_handler(self, value: Any) -> Any:
        if not inspect.isroutine(value):
            return self._as_argument(value)

        async def handle(*given: Any) -> Any:
            return await asyncio.to_thread(value, *map(self._wrap, given))

        return handle


class BlockingVisit:
    """`with ctx.browser() as page`."""

    __slots__ = ("_run", "_visit")

    def __init__(self, visit: AbstractAsyncContextManager[Any], run: RunCoroutine) -> None:
        self._visit = visit
        self._run = run

    def __enter__(self) -> Any:
        return BlockingPage(self._run(_entered(self._visit)), self._run)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        left: bool | None = self._run(_left(self._visit, kind, error, trace))
        return left


async def _entered(visit: AbstractAsyncContextManager[Any]) -> Any:
    return await visit.__aenter__()


async def _left(visit: AbstractAsyncContextManager[Any], *raised: Any) -> bool | None:
    return await visit.__aexit__(*raised)
