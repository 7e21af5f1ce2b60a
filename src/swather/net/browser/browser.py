"""The browser of a process: started at its first visit."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swather.errors import MissingExtra
from swather.net.browser import program
from swather.net.browser.tab import Tab
from swather.net.browser.visit import Visit
from swather.net.egress_policy import BrowserPolicy
from swather.net.guard import Guard

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import Playwright

MISSING: Final = "a browser needs Playwright: pip install 'swather[browser]'"


class Browser:
    """One per process; it belongs to the thread of its loop."""

    def __init__(
        self,
        policy: BrowserPolicy,
        *,
        headed: bool = False,
        guard: Guard | None = None,
        ca_file: Path | None = None,
    ) -> None:
        self._policy = policy
        self._headed = headed
        self._guard = guard or Guard()
        self._ca_file = ca_file
        self._starting = asyncio.Lock()
        self._driver: Playwright | None = None
        self._chromium: Chromium | None = None

    def visit(self, visit: Visit) -> AbstractAsyncContextManager[Tab]:
        """A tab for the length of a block."""
        return self._visit(visit)

    @asynccontextmanager
    async def _visit(self, visit: Visit) -> AsyncIterator[Tab]:
        chromium = await self._started()
        context = await chromium.new_context(user_agent=visit.user_agent)
        try:
            yield Tab(await context.new_page(), visit)
        finally:
            await context.close()

    async def close(self) -> None:
        if self._chromium is not None:
            await self._chromium.close()
        if self._driver is not None:
            await self._driver.stop()
        self._chromium = self._driver = None

    async def _started(self) -> "Chromium":
        async with self._starting:
            if self._chromium is None:
                executable = program.find(self._policy.executable)
                try:
                    from playwright.async_api import async_playwright  # noqa: PLC0415
                except ModuleNotFoundError as error:
                    raise MissingExtra(MISSING) from error
                self._driver = await async_playwright().start()
                self._chromium = await self._driver.chromium.launch(
                    executable_path=executable,
                    headless=not self._headed,
                    chromium_sandbox=os.geteuid() != 0,
                )
            return self._chromium
