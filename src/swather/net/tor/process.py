"""The process of a Tor daemon: found, started, heard, ended."""

import asyncio
import os
import shutil
import signal
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final

from swather.visible import visible_line

STOP_SECONDS: Final = 5.0
# Where Debian has it, and the PATH of a user often does not lead.
_DEBIANS: Final = "/usr/sbin/tor"
_KEPT_BYTES: Final = 4 << 10
_SHOWN_CHARACTERS: Final = 200


class TorFailed(Exception):
    """Tor cannot be used; the text says why. `is_hopeless` if it takes a person to change that."""

    def __init__(self, why: str, *, is_hopeless: bool = False) -> None:
        super().__init__(why)
        self.is_hopeless = is_hopeless


def find_binary(given: Path | None) -> Path:
    """The program; TorFailed if there is none."""
    if given is not None:
        if (found := shutil.which(given)) is not None:
            return Path(found)
        what = "is not a program" if given.exists() else "does not exist"
        raise TorFailed(f"the tor_binary {given} {what}", is_hopeless=True)
    if (found := shutil.which("tor") or shutil.which(_DEBIANS)) is not None:
        return Path(found)
    raise TorFailed(
        "Tor is not installed: run `apt install tor` or set tor_binary", is_hopeless=True
    )


class TorProcess:
    """A process, of whose output the end is kept."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tail: deque[bytes] = deque(maxlen=2)
        self._listening = asyncio.create_task(self._listen(), name="tor-output")
        self.pid = process.pid

    @classmethod
    async def start(cls, binary: Path, *arguments: str | Path) -> "TorProcess":
        try:
            process = await asyncio.create_subprocess_exec(
                binary,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                # Ctrl-C is for the worker, which may need the daemon until it has drained.
                start_new_session=True,
            )
        except OSError as error:
            raise TorFailed(
                f"{binary} cannot be started: {error.strerror}", is_hopeless=True
            ) from None
        return cls(process)

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.returncode

    async def ended(self) -> int:
        code = await self._process.wait()
        await self._listening
        return code

    def last_words(self) -> str:
        """': ' and its last line that warns, or its last line; '' if it said nothing."""
        lines = b"".join(self._tail).decode("utf-8", "replace").splitlines()
        said = [line for line in map(str.strip, lines) if line]
        warnings = [line for line in said if "[warn]" in line or "[err]" in line]
        # The last error is but "see warnings above".
        told = next(iter(warnings[-2:]), said[-1] if said else "")
        told = told.partition("] ")[2] or told
        return f": {visible_line(told[:_SHOWN_CHARACTERS])}" if told else ""

    async def end(self) -> None:
        """Ask it to end, then make it."""
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._signal(signal.SIGKILL)
            await self._process.wait()
        self._listening.cancel()

    def _signal(self, number: int) -> None:
        # Not by the process's own methods: they ask for its exit code, which asyncio then misses.
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        while heard := await self._process.stdout.read(_KEPT_BYTES):
            self._tail.append(heard)
