"""`swather`, and code for `python -c`, in processes that are forked from one which has imported
Swather: real ones, with a number, signals and an exit code, but without half a second of imports.

A test of the start itself (the import path, the interpreter's variables) starts it as a user does.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]
SWATHER = Path(sys.executable).with_name("swather")
# What the interpreter has looked at when it started.
OF_THE_START = ("PYTHON", "LC_", "LANG", "TZ")


class Forked:
    """A process with the names of subprocess.Popen. What it is not given is /dev/null."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        code: str | None = None,
        cwd: Path,
        env: Mapping[str, str],
        stdin: IO[Any] | None = None,
        stdout: IO[Any] | None = None,
        stderr: IO[Any] | None = None,
    ) -> None:
        assert can_fork(env), "this is about the start of the interpreter"
        order = {
            "arguments": [str(each) for each in arguments],
            "code": code,
            "folder": str(cwd),
            "variables": dict(env),
        }
        self._reply, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs, Path(os.devnull).open("r+b") as nothing:
            standard = [(each or nothing).fileno() for each in (stdin, stdout, stderr)]
            message = [json.dumps(order).encode()]
            socket.send_fds(_server(), message, [*standard, theirs.fileno()])
        self.pid = int(self._reply.recv(32))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._exit_code(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._exit_code(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(str(self.pid), timeout)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _exit_code(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._reply], [], [], timeout)[0]:
            with self._reply:
                self.returncode = int(self._reply.recv(32))
        return self.returncode


def can_fork(env: Mapping[str, str]) -> bool:
    """Whether a process with these variables is what one started with them would be."""
    changed = {name for name, _ in env.items() ^ os.environ.items()}
    return sys.platform == "linux" and not any(name.startswith(OF_THE_START) for name in changed)


def run(
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    input: str = "",  # noqa: A002 - as subprocess.run has it
    timeout: float,
) -> "subprocess.CompletedProcess[str]":
    """`swather` with these arguments, to its end."""
    env = os.environ if env is None else env
    if not can_fork(env):
        return subprocess.run(
            [SWATHER, *arguments],
            cwd=cwd,
            env=env,
            input=input,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    with (
        tempfile.TemporaryFile("w+") as stdin,
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
    ):
        stdin.write(input)
        stdin.seek(0)
        process = Forked(
            arguments,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
        )
        try:
            code = process.wait(timeout)
        except BaseException:
            process.kill()
            raise
        said = [(file.seek(0), file.read())[1] for file in (stdout, stderr)]
    return subprocess.CompletedProcess(["swather", *arguments], code, *said)


_starting = threading.Lock()


def _server() -> socket.socket:
    with _starting:
        return _started()


@cache
def _started() -> socket.socket:
    """One for each process of pytest. It ends with the socket."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.forkserver", str(theirs.fileno())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            # Ctrl-C is for pytest, which ends it.
            start_new_session=True,
        )
    atexit.register(server.wait)
    atexit.register(ours.close)
    return ours
