"""One running Chromium, from its start to its end, with its rooms."""

import asyncio
import logging
import os
import re
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from swather.errors import MissingExtra, SwatherError
from swather.net.browser.guard_proxy import GuardProxy
from swather.net.browser.processes import BrowserProcesses
from swather.net.browser.room import Room, RoomKey
from swather.net.errors import BrowserFailed
from swather.net.guard import Guard

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import Playwright

MISSING: Final = "a browser needs Playwright: pip install 'swather[browser]'"
LAUNCH_SECONDS: Final = 60.0
STOP_SECONDS: Final = 5.0
# A room of an egress or a session that nobody has used for so long is closed.
IDLE_SECONDS: Final = 60.0
MAX_STATES: Final = 1_000
# Nothing may leave but by the proxy: not by UDP, not to loopback, and nothing of Chromium's own.
FLAGS: Final = (
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-sync",
    "--disable-gpu",
    "--mute-audio",
)


_log = logging.getLogger(__name__)

# What sessions without a room have stored, by their rooms' keys.
States = OrderedDict[RoomKey, dict[str, Any]]
# In what Playwright says of a browser that did not start.
_SAID: Final = re.compile(r"^\[pid=\d+\]\[err\] (.+)$", re.MULTILINE)
_ENDED: Final = re.compile(r"process did exit: exitCode=(\w+), signal=(\w+)")


class Chromium:
    """`is_over` when it has ended by itself or was killed. `targets` is how many it has had."""

    def __init__(
        self,
        processes: BrowserProcesses,
        driver: "Playwright",
        browser: "PlaywrightBrowser",
        proxy: GuardProxy,
        guard: Guard,
        max_idle: int,
        states: States,
    ) -> None:
        self._states = states
        self._processes = processes
        self._driver = driver
        self._browser = browser
        self._proxy = proxy
        self._guard = guard
        self._max_idle = max_idle
        self._idle: OrderedDict[int, Room] = OrderedDict()
        self._shared: dict[RoomKey, Room] = {}
        self._opening: dict[RoomKey, asyncio.Lock] = {}
        self._suspicions = 0
        # Not while it may hang because of a page that did not end in time.
        self.is_trusted = asyncio.Event()
        self.is_trusted.set()
        self.is_over = False
        self.targets = 0
        self.visits = 0
        browser.on("disconnected", self._disconnected)

    @classmethod
    async def start(
        cls,
        program: Path,
        proxy: GuardProxy,
        guard: Guard,
        *,
        headed: bool,
        max_idle: int,
        states: States,
    ) -> "Chromium":
        try:
            from playwright.async_api import async_playwright  # noqa: PLC0415 - it is an extra
        except ModuleNotFoundError as error:
            raise MissingExtra(MISSING) from error
        processes = BrowserProcesses(program)
        driver: Playwright | None = None
        try:
            async with asyncio.timeout(LAUNCH_SECONDS):
                manager = async_playwright()
                with processes.driver_in_folder():
                    driver = await manager.start()
                _expect_its_end(manager)
                browser = await driver.chromium.launch(
                    executable_path=processes.chromium,
                    headless=not headed,
                    chromium_sandbox=os.geteuid() != 0,
                    args=list(FLAGS),
                    # Contexts have their own passwords; one without would get nowhere.
                    proxy={"server": proxy.url},
                    downloads_path=processes.folder / "tmp",
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=1_000 * LAUNCH_SECONDS,
                )
        except BaseException as error:
            processes.kill()
            await asyncio.shield(_all_ended(driver, processes))
            if isinstance(error, SwatherError) or not isinstance(error, Exception):
                raise
            raise BrowserFailed(f"{program} did not start: {_why(error)}") from None
        return cls(processes, driver, browser, proxy, guard, max_idle, states)

    @property
    def version(self) -> str:
        return self._browser.version

    def memory_bytes(self) -> int:
        return self._processes.memory_bytes()

    async def take(self, key: RoomKey, storage_state: dict[str, Any] | None) -> Room:
        """A room for one visit."""
        if key.session:
            return await self._shared_room(key, storage_state)
        room = self._idle_room(key) or await self._new_room(key, None)
        room.visits += 1
        if storage_state is not None:
            await room.context.set_storage_state(storage_state)  # type: ignore[arg-type]
        return room

    def give_back(self, room: Room) -> None:
        """A clean room, for the next visit of its kind."""
        room.visits -= 1
        room.idle_since = monotonic()
        if not room.key.session:
            self._idle[id(room)] = room

    async def close_room(self, room: Room) -> None:
        room.visits -= 1
        if self._shared.get(room.key) is room:
            del self._shared[room.key]
        if not await room.close():
            self.kill()

    async def close_idle(self) -> None:
        """Those that were not used for long, and the oldest if there are too many."""
        long_ago = monotonic() - IDLE_SECONDS
        while self._idle:
            _, room = next(iter(self._idle.items()))
            if len(self._idle) <= self._max_idle and room.idle_since > long_ago:
                return
            del self._idle[id(room)]
            if not await room.close():
                self.kill()

    async def close_idle_sessions(self) -> None:
        """The same for rooms of sessions, whose cookies and storage are kept for their return."""
        long_ago = monotonic() - IDLE_SECONDS
        idle = sorted(
            (room for room in self._shared.values() if not room.visits),
            key=lambda room: room.idle_since,
        )
        excess = len(idle) - self._max_idle
        for number, room in enumerate(idle):
            if number < excess or room.idle_since < long_ago:
                async with self._opening[room.key]:
                    if room.visits or self._shared.get(room.key) is not room:
                        continue
                    await self._keep(room)
                    del self._shared[room.key]
                    if not await room.close():
                        self.kill()

    async def keep_sessions(self) -> None:
        """What they have stored, for the browser that takes over."""
        for room in list(self._shared.values()):
            await self._keep(room)

    async def _keep(self, room: Room) -> None:
        try:
            async with asyncio.timeout(STOP_SECONDS):
                self._states[room.key] = dict(await room.context.storage_state())
        except Exception as error:  # noqa: BLE001 - the browser may hang or be gone
            _log.warning("the cookies of a session were lost with its browser: %r", error)
        while len(self._states) > MAX_STATES:
            self._states.popitem(last=False)

    def suspect(self) -> None:
        """It may hang; until that is known, nobody else should begin a visit."""
        self._suspicions += 1
        self.is_trusted.clear()

    def acquit(self) -> None:
        self._suspicions -= 1
        if not self._suspicions:
            self.is_trusted.set()

    def kill(self) -> None:
        """At once, whatever it does. Visits that are open end with BrowserFailed."""
        self.is_over = True
        self._processes.kill()

    async def close(self) -> None:
        try:
            if not self.is_over:
                with suppress(Exception):
                    async with asyncio.timeout(STOP_SECONDS):
                        await self._browser.close()
        finally:
            self.kill()
            await _all_ended(self._driver, self._processes)

    def _idle_room(self, key: RoomKey) -> Room | None:
        # The latest, which has its pages in memory.
        for number, room in reversed(self._idle.items()):
            if room.key == key:
                del self._idle[number]
                return room
        return None

    async def _shared_room(self, key: RoomKey, storage_state: dict[str, Any] | None) -> Room:
        async with self._opening.setdefault(key, asyncio.Lock()):
            room = self._shared.get(key)
            if room is None:
                kept = self._states.pop(key, None)
                room = self._shared[key] = await self._new_room(key, kept or storage_state)
            # Counted here, so that it is not closed as an idle one.
            room.visits += 1
            return room

    async def _new_room(self, key: RoomKey, storage_state: dict[str, Any] | None) -> Room:
        return await Room.open(key, self._browser, self._proxy, self._guard, storage_state)

    def _disconnected(self, _: Any) -> None:
        self.is_over = True


async def _all_ended(driver: "Playwright | None", processes: BrowserProcesses) -> None:
    """After they were killed."""
    if driver is not None:
        with suppress(Exception):
            async with asyncio.timeout(STOP_SECONDS):
                await driver.stop()
    await processes.ended()


def _expect_its_end(manager: Any) -> None:
    """We kill the driver when it hangs; asyncio need not report that as an error nobody read."""
    transport = getattr(getattr(manager, "_client", None), "_transport", None)
    ended = getattr(transport, "on_error_future", None)
    if isinstance(ended, asyncio.Future):
        ended.add_done_callback(lambda future: future.cancelled() or future.exception())


def _why(error: Exception) -> str:
    """How Chromium ended and what it said last, in place of Playwright's long log."""
    text = str(error) or type(error).__name__
    said = _SAID.findall(text)
    worst = next((line for line in said if "FATAL" in line), said[-1] if said else "")
    if (ended := _ENDED.search(text)) is None:
        how = text.splitlines()[0]
    else:
        how = f"exit code {ended[1]}" if ended[2] == "null" else ended[2]
    return f"{how}: {worst}"[:500] if worst else how[:500]
