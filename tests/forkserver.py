"""A process that has imported all of Swather, and forks one that goes on as a program when asked.
It is started by tests.forked as `python -m tests.forkserver FD`.

It has one thread, so that a fork is whole, and ends with whoever has started it.
"""

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import swather

MOST_BYTES = 1 << 20
LEFT_OUT = ("swather.builtin.", "swather.testing.", ".__main__.")
SWATHER = Path(sys.executable).with_name("swather")


def main() -> Any:
    orders = socket.socket(fileno=int(sys.argv[1]))
    for module in pkgutil.walk_packages(swather.__path__, "swather."):
        if not any(each in f"{module.name}." for each in LEFT_OUT):
            # Of an extra that is not installed.
            with suppress(ImportError):
                importlib.import_module(module.name)
    assert threading.active_count() == 1, "a fork would lack the others"
    # What is there by now is no garbage, and would be copied for every fork that looks at it.
    gc.freeze()
    order = Server(orders).serve()
    return 0 if order is None else follow(**order)


class Server:
    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._ended, self._end = os.pipe()
        os.set_blocking(self._end, False)
        self._replies: dict[int, socket.socket] = {}

    def serve(self) -> dict[str, Any] | None:
        """In a fork: what it is to do. In the server: None, once nobody asks any more."""
        signal.set_wakeup_fd(self._end)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            ready, _, _ = select.select([self._orders, self._ended], [], [])
            if self._ended in ready:
                os.read(self._ended, 4096)
                self._tell_exit_codes()
            if self._orders not in ready:
                continue
            message, descriptors, *_ = socket.recv_fds(self._orders, MOST_BYTES, 4)
            if not message:
                return None
            *standard, reply = descriptors
            if (pid := os.fork()) == 0:
                os.close(reply)
                self._leave(standard)
                return json.loads(message)
            for descriptor in standard:
                os.close(descriptor)
            self._replies[pid] = socket.socket(fileno=reply)
            self._replies[pid].sendall(f"{pid}\n".encode())

    def _tell_exit_codes(self) -> None:
        while self._replies:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            with self._replies.pop(pid) as reply:
                reply.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())

    def _leave(self, standard: list[int]) -> None:
        """A fork has its own input and output, and nothing of the server's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for held in (self._orders, *self._replies.values()):
            held.close()
        for descriptor in (self._ended, self._end):
            os.close(descriptor)
        for number, descriptor in enumerate(standard):
            os.dup2(descriptor, number)
            os.close(descriptor)


def follow(arguments: list[str], code: str | None, folder: str, variables: dict[str, str]) -> Any:
    """Go on as `swather` with these arguments, or as `python -c` with this code."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.dont_write_bytecode = bool(variables.get("PYTHONDONTWRITEBYTECODE"))
    sys.argv = [str(SWATHER) if code is None else "-c", *arguments]
    sys.path[0] = str(SWATHER.parent) if code is None else ""
    if code is None:
        return importlib.import_module("swather.cli").main()
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - a test's own
    return 0


if __name__ == "__main__":
    sys.exit(main())
