"""One Tor daemon of our own: its process and its control port."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, TypeVar

from swather.net.tor.bootstrap import Bootstrap, parse_bootstrap
from swather.net.tor.control import Control, ControlError
from swather.net.tor.exits import built_circuit, country_of_exit, exits_by_country, has_countries
from swather.net.tor.process import TorFailed, TorProcess
from swather.net.tor.torrc import Files, torrc
from swather.visible import visible_line

START_SECONDS: Final = 30.0
ANSWER_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.02
_PROGRESS_SECONDS: Final = 0.2
# After so long without progress we ask whether there are exits at all.
_STUCK_SECONDS: Final = 5.0
_MOST_COUNTRIES: Final = 5
# So long after its control port a daemon that ends may take to be gone.
_END_SECONDS: Final = 1.0
_PHASE: Final = "status/bootstrap-phase"
_ESTABLISHED: Final = "status/circuit-established"
_LISTENERS: Final = "net/listeners/socks"

_T = TypeVar("_T")

_log = logging.getLogger(__name__)


class Daemon:
    """It ends with us, also when we are killed. All of its verbs raise TorFailed when it is gone or
    does not answer.
    """

    def __init__(self, process: TorProcess, control: Control, country: str) -> None:
        self._process = process
        self._control = control
        self._country = country
        self._checking = asyncio.create_task(self._check_circuits(), name="tor-circuits")
        self.pid = process.pid

    @classmethod
    async def start(
        cls, binary: Path, folder: Path, *, country: str = "", config: Path | None = None
    ) -> "Daemon":
        """Start it and wait until its control port answers. `folder` is its own, for all it keeps;
        `config` a torrc with further options.
        """
        files = Files(folder)
        await asyncio.to_thread(_write, files, torrc(files, country))
        process = await TorProcess.start(
            binary, "-f", files.torrc, "--defaults-torrc", config or files.defaults
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                control = await _take_control(files, process, binary)
        except TimeoutError:
            await process.end()
            raise TorFailed(
                f"{binary} opened no control port within {START_SECONDS:.0f} s"
                f"{process.last_words()}"
            ) from None
        except ControlError as error:
            await process.end()
            raise TorFailed(f"{binary} cannot be controlled: {error}") from None
        except BaseException:
            await process.end()
            raise
        daemon = cls(process, control, country)
        if country and not await daemon._ask(has_countries(control)):
            await daemon.stop()
            raise TorFailed(
                f"tor={country!r} needs Tor's table of countries: run `apt install tor-geoipdb`",
                is_hopeless=True,
            )
        return daemon

    async def socks_port(self) -> int:
        """Where it listens on loopback."""
        listeners = (await self._ask(self._control.get(_LISTENERS))).get(_LISTENERS, "")
        port = listeners.split(" ")[0].strip('"').rpartition(":")[2]
        if not port.isdecimal():
            raise TorFailed(f"Tor listens on no SOCKS port but on {visible_line(listeners)!r}")
        return int(port)

    async def connect(self, tell: Callable[[Bootstrap], None]) -> None:
        """Wait until it is connected to the network, and tell how far it is."""
        loop = asyncio.get_running_loop()
        last, since = Bootstrap(), loop.time()
        while True:
            phase = (await self._ask(self._control.get(_PHASE))).get(_PHASE, "")
            now = parse_bootstrap(phase)
            tell(now)
            if now.is_done:
                return
            if now.percent != last.percent:
                last, since = now, loop.time()
            elif loop.time() - since > _STUCK_SECONDS:
                await self._check_country()
                since = loop.time()
            await asyncio.sleep(_PROGRESS_SECONDS)

    async def is_connected(self) -> bool:
        """Whether it has circuits, as far as it knows."""
        return (await self._ask(self._control.get(_ESTABLISHED))).get(_ESTABLISHED) == "1"

    async def new_identity(self) -> None:
        """Leave by other circuits, whoever asks; Tor does so every 10 seconds at most."""
        await self._ask(self._control.ask("SIGNAL NEWNYM"))

    async def ended(self) -> str:
        """Wait for the end of its process; how that was, in words."""
        code = await self._process.ended()
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        return f"Tor ended with {how}{self._process.last_words()}"

    async def stop(self) -> None:
        await self._control.close()
        await self._checking
        await self._process.end()

    async def _check_country(self) -> None:
        if not self._country:
            return
        counts = await self._ask(exits_by_country(self._control))
        if not counts or counts[self._country]:
            return
        most = ", ".join(f"{name} {count}" for name, count in counts.most_common(_MOST_COUNTRIES))
        raise TorFailed(f"Tor has no exit in {self._country!r} now; most are in {most}")

    async def _check_circuits(self) -> None:
        """Close circuits that leave in another country. Tor was told to build none."""
        try:
            if self._country:
                await self._control.ask("SETEVENTS CIRC")
            while (event := await self._control.events.get()) is not None:
                circuit = built_circuit(event.removeprefix("CIRC "))
                if circuit is not None:
                    await self._check_exit(circuit.id, circuit.exit)
        except ControlError:
            pass  # it is gone, as others notice

    async def _check_exit(self, circuit: str, relay: str) -> None:
        country = await country_of_exit(self._control, relay)
        if country == self._country:
            _log.debug("Tor has a circuit that leaves in %s, at %s", country, relay)
            return
        _log.error(
            "Tor has built a circuit that leaves in %r instead of %r, at %s; it is closed",
            country,
            self._country,
            relay,
        )
        await self._control.ask(f"CLOSECIRCUIT {circuit}")

    async def _ask(self, asking: Coroutine[Any, Any, _T]) -> _T:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asking
        except TimeoutError:
            raise TorFailed(f"Tor has not answered for {ANSWER_SECONDS:.0f} s") from None
        except ControlError as error:
            raise TorFailed(await self._how_it_failed(error)) from None

    async def _how_it_failed(self, error: ControlError) -> str:
        try:
            async with asyncio.timeout(_END_SECONDS):
                return await self.ended()
        except TimeoutError:
            return f"Tor failed: {error}"


def _write(files: Files, text: str) -> None:
    files.data.mkdir(mode=0o700, exist_ok=True)
    files.torrc.write_text(text)
    files.defaults.touch()
    # Of an earlier daemon in this folder.
    for file in (files.control_port, files.cookie):
        file.unlink(missing_ok=True)


async def _take_control(files: Files, process: TorProcess, binary: Path) -> Control:
    # It writes the cookie after the port.
    while not (files.control_port.exists() and files.cookie.exists()):
        if process.exit_code is not None:
            code = await process.ended()
            said = f"exit code {code}{process.last_words()}"
            raise TorFailed(f"Tor did not start: {binary} ended with {said}")
        await asyncio.sleep(_LOOK_SECONDS)
    place = files.control_port.read_text().strip().removeprefix("PORT=")
    host, _, port = place.rpartition(":")
    if not port.isdecimal():
        raise ControlError(f"it says that its control port is {visible_line(place[:40])!r}")
    control = await Control.connect(host, int(port))
    try:
        await control.authenticate(files.cookie)
        await control.ask("TAKEOWNERSHIP")
    except BaseException:
        await control.close()
        raise
    return control
