"""Hooks that are commands: run by the shell, with the notice as JSON on standard input."""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from swather import posix
from swather.errors import HookFailed
from swather.masking import masked
from swather.model.notice import Notice, Subscription
from swather.runs.notice_json import data_of, encoded

VARIABLE: Final = "SWATHER_NOTICE_"
# Of this process alone: descriptors that the command does not have.
_NOT_PASSED_ON: Final = ("SWATHER_PARENT_FD", "SWATHER_FAREWELL_FD")
_TOLD: Final = ("id", "kind", "at", "scraper", "run", "text")
_LAST_BYTES: Final = 2_000
_LAST_CHARACTERS: Final = 300


class CommandHook:
    """A command that ends well has taken the notice. One that does not end is killed, with all that
    it has started.
    """

    def __init__(
        self, subscription: Subscription, command: str, folder: Path, timeout_seconds: float
    ) -> None:
        self.subscription = subscription
        self.timeout_seconds = timeout_seconds
        self._command = command
        self._folder = folder
        self._running: subprocess.Popen[bytes] | None = None
        self._is_cut_off = False

    def cut_off(self) -> None:
        self._is_cut_off = True
        if (running := self._running) is not None:
            posix.kill_group(running.pid)

    def deliver(self, notice: Notice) -> None:
        # Files rather than pipes: nobody has to read or write them for the command to go on.
        with TemporaryFile() as given, TemporaryFile() as said:
            given.write(encoded(notice))
            given.seek(0)
            try:
                process = subprocess.Popen(
                    ["/bin/sh", "-c", self._command],
                    stdin=given,
                    stdout=said,
                    stderr=said,
                    cwd=self._folder,
                    env=_environment(notice),
                    start_new_session=True,
                )
            except OSError as error:
                raise HookFailed(f"the command could not be started: {error}") from error
            self._running = process
            try:
                if self._is_cut_off:
                    posix.kill_group(process.pid)
                code = process.wait(self.timeout_seconds)
            except subprocess.TimeoutExpired:
                raise HookFailed(
                    f"the command did not end within {self.timeout_seconds:g} s and was killed"
                    f"{_last_words(said)}"
                ) from None
            finally:
                posix.kill_group(process.pid)
                self._running = None
                process.wait()
            if self._is_cut_off and code < 0:
                raise HookFailed("the command was killed, since the process that ran it has ended")
            if code:
                how = f"exit code {code}" if code > 0 else f"signal {-code}"
                raise HookFailed(f"the command ended with {how}{_last_words(said)}")


def _environment(notice: Notice) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
    data = data_of(notice)
    told = {f"{VARIABLE}{name.upper()}": str(data[name] or "") for name in _TOLD}
    # What a variable cannot hold.
    return inherited | {name: value.replace("\0", "") for name, value in told.items()}


def _last_words(said: IO[bytes]) -> str:
    said.seek(0, os.SEEK_END)
    said.seek(max(said.tell() - _LAST_BYTES, 0))
    lines = said.read().decode(errors="replace").strip().splitlines()
    return f": {masked(lines[-1].strip())[:_LAST_CHARACTERS]}" if lines else ""
