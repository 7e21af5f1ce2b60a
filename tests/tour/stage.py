"""Where the scenes of the tour are played: a folder, a database, commands, a terminal to watch."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests import forked
from tests.tour.screen import Screen

NAMED_SECONDS = 3.0
PATIENCE_SECONDS = 60.0
_ROWS = 40


class Said(NamedTuple):
    code: int
    text: str


class Missed(AssertionError):
    """What the tour promises did not come; shows what was seen instead."""


class Terminal:
    """`swather` in a terminal of so many columns."""

    def __init__(self, process: "subprocess.Popen[bytes]", fd: int, columns: int) -> None:
        self.process = process
        self.screen = Screen(columns)
        self._fd = fd
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def look(self, seconds: float = 0.05) -> str:
        """What is on the screen after so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([self._fd], [], [], left)[0]:
                break
            try:
                read = os.read(self._fd, 65_536)
            except OSError:
                # The end of a program is the end of its terminal.
                time.sleep(min(left, 0.05))
                break
            self.screen.feed(self._decoder.decode(read))
        return self.screen.text

    def resize(self, columns: int) -> None:
        self.screen.resize(columns)
        _resize(self._fd, columns)

    def until(self, pattern: str, seconds: float = PATIENCE_SECONDS) -> str:
        """The screen, as soon as it matches."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            if re.search(pattern, self.look()):
                return self.screen.text
        raise Missed(f"{pattern!r} was not on the screen within {seconds:g} s:\n{self.screen.text}")

    def end(self) -> int:
        """Wait until it has ended; its exit code."""
        while self.process.poll() is None:
            self.look()
        self.look()
        return self.process.returncode


class Stage:
    """`say` gets what a person would read. What happens is to be named in `named_seconds`."""

    def __init__(
        self,
        folder: Path,
        url: str,
        say: Callable[[str], None],
        named_seconds: float = NAMED_SECONDS,
    ) -> None:
        self.folder = folder
        self.named_seconds = named_seconds
        self.url = url
        self.say = say
        self._environment = {**os.environ, "SWATHER_DB": url, "TERM": "xterm-256color"}
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            self._environment.pop(name, None)

    def write(self, name: str, code: str) -> None:
        (self.folder / name).write_text(code)

    def swather(self, *words: str) -> Said:
        environment = {**self._environment, "COLUMNS": "80"}
        done = forked.run(words, cwd=self.folder, env=environment, timeout=PATIENCE_SECONDS)
        return Said(done.returncode, (done.stdout + done.stderr).rstrip())

    def show(self, *words: str) -> str:
        """Play a command, and print it with what it says."""
        said = self.swather(*words)
        self.say(f"$ swather {' '.join(words)}")
        self.say(said.text)
        return said.text

    @contextmanager
    def terminal(self, *words: str, columns: int = 100) -> Iterator[Terminal]:
        ours, theirs = pty.openpty()
        _resize(ours, columns)
        process = subprocess.Popen(
            [sys.executable, "-m", "swather.cli", *words],
            cwd=self.folder,
            env={**self._environment, "PYTHONUNBUFFERED": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            yield Terminal(process, ours, columns)
        finally:
            _end(process)
            os.close(ours)

    def watched(self, terminal: Terminal, since: float, pattern: str) -> str:
        """The live view names it in time; it is printed."""
        left = since + self.named_seconds - time.monotonic()
        seen = terminal.until(pattern, max(left, 0.1))
        self.say(f"[{time.monotonic() - since:.1f} s later, in the live view]")
        self.say(seen)
        return seen


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The second signal stops it at once."""
    for _ in range(2):
        if process.poll() is None:
            process.terminate()
            time.sleep(0.3)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _resize(fd: int, columns: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, columns, 0, 0))


def seconds_of(text: str) -> float | None:
    """How long '~2m 5s' is; None for what is unknown."""
    found = re.search(r"ETA\s+~([\dhms .]+)", text)
    if found is None:
        return None
    units: dict[str, Any] = {"h": 3_600, "m": 60, "s": 1}
    return sum(float(n) * units[unit] for n, unit in re.findall(r"([\d.]+)([hms])", found[1]))
