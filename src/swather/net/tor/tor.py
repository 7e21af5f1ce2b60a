"""Tor as those see it who make requests through it, and a daemon that somebody else runs."""

import asyncio
import logging
from contextlib import suppress
from typing import Final, Protocol

from swather.net.tor.process import TorFailed

CONNECT_SECONDS: Final = 10.0
# A daemon that was not there is looked for again after so long.
LOOK_AGAIN_SECONDS: Final = 2.0
_HELLO: Final = b"\x05\x01\x02"  # SOCKS 5, and we give a name and a password
_WELCOME: Final = b"\x05\x02"

_log = logging.getLogger(__name__)


class Tor(Protocol):
    """Belongs to the loop's thread, but for `trouble`."""

    @property
    def socks(self) -> str | None:
        """host:port of its SOCKS port; None while nothing can be requested through it."""
        ...

    @property
    def trouble(self) -> str:
        """Why not, for people to read; '' before it was needed and while all is well."""
        ...

    @property
    def is_starting(self) -> bool:
        """Whether `socks` may come without anybody waiting for it."""
        ...

    async def wait(self, seconds: float) -> str:
        """`socks` once it is there, for which it is started if necessary. TorFailed if that takes
        longer, or takes a person.
        """
        ...

    def suspect(self) -> None:
        """A request got no further than to it: see whether it is well."""
        ...

    async def new_identity(self) -> None:
        """Use new circuits from now on, as often as Tor allows it."""
        ...

    async def close(self) -> None: ...


class GivenTor:
    """A daemon that already runs, of which we know its SOCKS port only. Its exits are its own
    affair, and it has circuits enough: another SOCKS user gets another one.
    """

    def __init__(self, socks: str) -> None:
        self._place = socks
        self._looking: asyncio.Task[None] | None = None
        self._looked = asyncio.Event()
        self.socks: str | None = None
        self.trouble = ""

    @property
    def is_starting(self) -> bool:
        return self.socks is None and self._looking is not None and not self._looking.done()

    async def wait(self, seconds: float) -> str:
        if self.socks is None and not self.is_starting:
            self._looked.clear()
            self._looking = asyncio.create_task(self._look(), name="tor-given")
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._looked.wait()
        if self.socks is None:
            raise TorFailed(self.trouble or f"tor_socks {self._place} does not answer")
        return self.socks

    def suspect(self) -> None:
        self.socks = None

    async def new_identity(self) -> None:
        """By its users alone."""

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self) -> None:
        """Until it is there."""
        while self.socks is None:
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    await _check_socks(self._place)
            except TimeoutError:
                self._note(f"tor_socks {self._place} does not answer")
            except TorFailed as error:
                self._note(str(error))
            else:
                self.socks, self.trouble = self._place, ""
            self._looked.set()
            if self.socks is None:
                await asyncio.sleep(LOOK_AGAIN_SECONDS)

    def _note(self, trouble: str) -> None:
        if trouble != self.trouble:
            _log.error("%s", trouble)
        self.trouble = trouble


async def _check_socks(place: str) -> None:
    """TorFailed unless a SOCKS port that takes names listens there."""
    host, _, port = place.rpartition(":")
    try:
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except OSError as error:
        why = error.strerror or str(error)
        raise TorFailed(
            f"tor_socks {place} cannot be reached: {why}; is Tor running there?"
        ) from None
    try:
        writer.write(_HELLO)
        answer = await reader.readexactly(len(_WELCOME))
    except (OSError, asyncio.IncompleteReadError):
        answer = b""
    finally:
        writer.close()
    if answer != _WELCOME:
        raise TorFailed(f"tor_socks {place} is not the SOCKS port of a Tor daemon")
