"""Tor by a daemon of our own: started when it is needed, restarted when it dies."""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final, NoReturn

from swather.held_folder import HeldFolder
from swather.net.egress_policy import TorPolicy
from swather.net.tor.bootstrap import Bootstrap
from swather.net.tor.daemon import Daemon
from swather.net.tor.process import TorFailed, find_binary

HEALTH_SECONDS: Final = 5.0
NEWNYM_SECONDS: Final = 10.0  # Tor's own limit
FIRST_DELAY_SECONDS: Final = 1.0
LONGEST_DELAY_SECONDS: Final = 60.0
# A program that does not even start is given up, and tried again when somebody asks later on.
MAX_FALSE_STARTS: Final = 3
GIVEN_UP_SECONDS: Final = 30.0

_log = logging.getLogger(__name__)


class OwnTor:
    """See swather.net.tor.tor.Tor. With a country, all requests leave there."""

    def __init__(self, policy: TorPolicy, country: str = "") -> None:
        self._policy = policy
        self._country = country
        self._keeping: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._suspected = asyncio.Event()
        self._daemon: Daemon | None = None
        self._renewed_at = -NEWNYM_SECONDS
        self._given_up: TorFailed | None = None
        self._given_up_at = 0.0
        self.socks: str | None = None
        self.trouble = ""

    @property
    def pid(self) -> int | None:
        """The daemon's, while there is one."""
        return None if self._daemon is None else self._daemon.pid

    @property
    def is_starting(self) -> bool:
        return self.socks is None and self._keeping is not None and not self._keeping.done()

    async def wait(self, seconds: float) -> str:
        self._start()
        until = monotonic() + seconds
        while self.socks is None:
            if self._given_up is not None:
                raise self._given_up
            self._changed.clear()
            try:
                async with asyncio.timeout(until - monotonic()):
                    await self._changed.wait()
            except TimeoutError:
                raise TorFailed(self.trouble) from None
        return self.socks

    def suspect(self) -> None:
        self._suspected.set()

    async def new_identity(self) -> None:
        if self._daemon is None or monotonic() - self._renewed_at < NEWNYM_SECONDS:
            return
        self._renewed_at = monotonic()
        try:
            await self._daemon.new_identity()
        except TorFailed:
            self.suspect()

    async def close(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})

    def _start(self) -> None:
        if self._keeping is not None and not self._keeping.done():
            return
        if self._given_up is None or monotonic() - self._given_up_at > GIVEN_UP_SECONDS:
            self._given_up = None
            self._keeping = asyncio.create_task(self._keep(), name="tor")

    async def _keep(self) -> None:
        """Have a daemon until we are closed, or none can be had."""
        self._tell("Tor is starting", logging.INFO)
        try:
            folder = await asyncio.to_thread(HeldFolder, "tor")
            try:
                await self._keep_in(folder.path)
            finally:
                await asyncio.to_thread(folder.remove)
        except OSError as error:
            self._give_up(TorFailed(f"Tor has no folder to work in: {error}"))
        except TorFailed as error:
            self._give_up(error)

    async def _keep_in(self, folder: Path) -> NoReturn:
        delay, false_starts = FIRST_DELAY_SECONDS, 0
        while True:
            try:
                daemon = await self._started(folder)
            except TorFailed as error:
                false_starts += 1
                if error.is_hopeless or false_starts == MAX_FALSE_STARTS:
                    raise
                why = str(error)
            else:
                false_starts = 0
                why, was_connected = await self._live(daemon)
                if was_connected:
                    delay = FIRST_DELAY_SECONDS
            self._tell(f"{why}; trying again in {delay:.0f} s", logging.ERROR)
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY_SECONDS)

    async def _started(self, folder: Path) -> Daemon:
        config = self._policy.config
        if config is not None and not await asyncio.to_thread(config.is_file):
            raise TorFailed(f"the tor_config {config} is not a file", is_hopeless=True)
        binary = find_binary(self._policy.binary)
        daemon = await Daemon.start(binary, folder, country=self._country, config=config)
        _log.info("started Tor as process %d", daemon.pid)
        return daemon

    async def _live(self, daemon: Daemon) -> tuple[str, bool]:
        """Until it fails: why, and whether it was connected."""
        self._daemon = daemon
        was_connected = False
        try:
            socks = f"127.0.0.1:{await daemon.socks_port()}"
            await self._connect(daemon)
            was_connected = True
            await self._watch(daemon, socks)
        except TorFailed as error:
            return str(error), was_connected
        finally:
            self._daemon = self.socks = None
            await daemon.stop()

    async def _connect(self, daemon: Daemon) -> None:
        seconds = self._policy.bootstrap_seconds
        try:
            async with asyncio.timeout(seconds):
                await daemon.connect(self._note_progress)
        except TimeoutError:
            raise TorFailed(f"{self.trouble}; not connected after {seconds:g} s") from None

    async def _watch(self, daemon: Daemon, socks: str) -> NoReturn:
        ended = asyncio.create_task(daemon.ended())
        ended.add_done_callback(lambda _: self.suspect())
        try:
            while not ended.done():
                self._suspected.clear()
                if await daemon.is_connected():
                    self._note_connected(socks)
                else:
                    self.socks = None
                    self._tell("Tor has lost its connection to the network", logging.WARNING)
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEALTH_SECONDS):
                        await self._suspected.wait()
            raise TorFailed(ended.result())
        finally:
            ended.cancel()

    def _note_progress(self, bootstrap: Bootstrap) -> None:
        where = f" for exits in {self._country!r}" if self._country else ""
        self._tell(f"Tor is connecting{where}, {bootstrap}", logging.INFO)

    def _note_connected(self, socks: str) -> None:
        if self.socks is None:
            _log.info("Tor is connected")
        self.socks, self.trouble = socks, ""
        self._changed.set()

    def _give_up(self, error: TorFailed) -> None:
        self._given_up, self._given_up_at = error, monotonic()
        self._tell(str(error), logging.ERROR)

    def _tell(self, trouble: str, level: int) -> None:
        if trouble != self.trouble:
            _log.log(level, "%s", trouble)
        self.trouble = trouble
        self._changed.set()
