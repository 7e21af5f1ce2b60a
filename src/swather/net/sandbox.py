"""A process that parses large pages first, and can be killed, before this one parses them."""

import atexit
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from enum import Enum, auto
from typing import Final

from swather.net import sandbox_process

# How the process ends when the parser runs out of memory or stack.
_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL})


class ParseResult(Enum):
    """What became of a page in the sandbox."""

    PARSED = auto()
    TOO_SLOW = auto()
    FAILED = auto()


class Sandbox:
    """Its process is started for the first page and reused for the next ones, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def parse(self, html: bytes, seconds: float) -> ParseResult:
        """Whether the page can be parsed and searched within `seconds` of processor time."""
        with self._lock:
            process = self._take_process()
            try:
                answer = _answer_of(process, html, seconds)
            except BaseException:
                # Interrupted: the pending answer would be taken for the next page's.
                process.kill()
                _reap(process)
                raise
            if not answer:
                return _result_of_exit(_reap(process))
            self._process = process
            return ParseResult.PARSED if answer == sandbox_process.PARSED else ParseResult.FAILED

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                _reap(self._process)
            self._process = None

    def forget(self) -> None:
        """After a fork: the process belongs to the parent."""
        self._lock = threading.Lock()
        self._process = None

    def _take_process(self) -> subprocess.Popen[bytes]:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            return process
        if process is not None:
            _reap(process)
        return _start_process()


def _start_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", sandbox_process.__name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is for us; the process ends when its input does.
        start_new_session=True,
    )


def _answer_of(process: subprocess.Popen[bytes], html: bytes, seconds: float) -> bytes:
    """b"" if the process ended without an answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(sandbox_process.HEAD.pack(seconds, len(html)))
        process.stdin.write(html)
        process.stdin.flush()
    except BrokenPipeError:
        return b""
    return process.stdout.read(1)


def _reap(process: subprocess.Popen[bytes]) -> int:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()
    return process.wait()


def _result_of_exit(status: int) -> ParseResult:
    if -status == signal.SIGPROF:
        return ParseResult.TOO_SLOW
    if -status in _CRASHES:
        return ParseResult.FAILED
    raise ChildProcessError(f"the process that checks large pages ended with status {status}")


SANDBOX: Final = Sandbox()
atexit.register(SANDBOX.close)
os.register_at_fork(after_in_child=SANDBOX.forget)
