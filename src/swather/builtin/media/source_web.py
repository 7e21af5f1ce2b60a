"""The web as a source sees it: with the source's deadline, and its retries."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final, TypeVar

from swather.builtin.media.params import Limits
from swather.errors import FetchError
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    FetchTimeout,
    HttpStatusError,
    LaneBusy,
)
from swather.net.page import Page
from swather.scraping.context import Context

_FIRST_WAIT_SECONDS: Final = 0.5
_MARGIN_SECONDS: Final = 0.1
_BROKEN: Final = (FetchTimeout, ConnectionFailed, BadResponse)

T = TypeVar("T")


class Deadline:
    """The time of a source, on the monotonic clock, from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._began = time.monotonic()

    @property
    def passed(self) -> float:
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        return max(self.seconds - self.passed, 0.0)


class DeadlineWeb:
    """See swather.builtin.media.sources.source.SourceWeb. All requests of a source, those for files
    too, share its retries.
    """

    def __init__(self, ctx: Context, limits: Limits, deadline: Deadline) -> None:
        self._ctx = ctx
        self._limits = limits
        self._deadline = deadline
        self._retries_left = limits.retries
        self.skipped: Counter[str] = Counter()

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        accept: Collection[int] = (),
    ) -> Page:
        async def ask() -> Page:
            page = await self._ctx.get(
                url,
                params=params,
                headers=headers,
                timeout=self.within(self._limits.request_seconds),
                max_wait=self.max_wait,
                check=False,
            )
            if page.status not in accept:
                page.raise_for_status()
            return page

        return await self.retried(ask)

    def skip(self, why: str) -> None:
        self.skipped[why] += 1

    def within(self, seconds: float) -> float:
        """So many, or a little more than is left of the source's: its deadline comes first."""
        return min(seconds, self._deadline.left + 1.0)

    @property
    def max_wait(self) -> float:
        """Less than is left, so that a lane that is too slow can be told from a slow site."""
        return max(self._deadline.left - _MARGIN_SECONDS, 0.0)

    async def retried(self, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request; again, while that may help, the source has retries left and time."""
        wait = _FIRST_WAIT_SECONDS
        first: FetchError | None = None
        while True:
            try:
                return await request()
            except LaneBusy:
                # The site has closed its lane by its answer: that says more.
                if first is not None:
                    raise first from None
                raise
            except FetchError as error:
                first = first or error
                asked_for = _wait_after(error)
                pause = max(wait, asked_for or 0.0)
                if asked_for is None or not self._retries_left or pause >= self._deadline.left:
                    raise
            self._retries_left -= 1
            await asyncio.sleep(pause)
            wait *= 2


def _wait_after(error: FetchError) -> float | None:
    """How long the site asks to wait before another request; None if that cannot help."""
    if isinstance(error, _BROKEN):
        return 0.0
    if isinstance(error, HttpStatusError) and (error.status == 429 or error.status >= 500):
        return error.retry_after_seconds or 0.0
    return None
