"""The processes of a browser: Playwright's driver, Chromium, and a watcher that ends both with us.

The watcher is a shell that waits for the end of its input, which comes when we close it or when we
are gone, killed or not. Then it ends the others, hung or stopped ones too, and removes the folder
with all that they have written.
"""

import asyncio
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from swather import posix
from swather.held_folder import HeldFolder

_END_SECONDS: Final = 20.0
# Both write their number before they become what they are. Chromium leads a group of its own.
_WATCH: Final = """
read -r _
chromium=$(cat "$1/chromium.pid") && kill -9 "-$chromium"
driver=$(cat "$1/driver.pid") && kill -9 "$driver"
for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$1" && exit
    sleep 0.2
done
"""
# Below it Chromium makes a socket, tmp/org.chromium.Chromium.123456/SingletonSocket, whose path may
# have at most 107 bytes.
_LONGEST_FOLDER: Final = 55
_NODE: Final = "PLAYWRIGHT_NODEJS_PATH"


class BrowserProcesses:
    """A private folder with the programs to start and all that they write, and what was started."""

    def __init__(self, chromium: Path) -> None:
        held = HeldFolder("browsers", longest=_LONGEST_FOLDER)
        self._held: HeldFolder | None = held
        self.folder = held.path
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.chromium = self._program("chromium", chromium, {})
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "swather-browser", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # It outlives our group: who kills that must not kill the watcher first.
            start_new_session=True,
        )

    @contextmanager
    def driver_in_folder(self) -> Iterator[None]:
        """What Playwright starts in this block as its driver keeps to the folder."""
        from playwright._impl._driver import compute_driver_executable  # noqa: PLC0415 - it is an extra

        before = os.environ.get(_NODE)
        node, _ = compute_driver_executable()
        driver = self._program("driver", Path(node), {"TMPDIR": str(self.folder / "tmp")})
        os.environ[_NODE] = str(driver)
        try:
            yield
        finally:
            if before is None:
                del os.environ[_NODE]
            else:
                os.environ[_NODE] = before

    def memory_bytes(self) -> int:
        """What Chromium has in use, in all its processes."""
        leader = self._number("chromium")
        return 0 if leader is None else posix.group_memory_bytes(leader)

    def kill(self) -> None:
        """End all at once; the watcher sees to what is left."""
        leader, driver = self._number("chromium"), self._number("driver")
        self._let_watcher_end()
        if leader is not None:
            posix.kill_group(leader)
        if driver is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(driver, signal.SIGKILL)

    async def ended(self) -> None:
        """End what still runs, and wait until nothing is left."""
        self._let_watcher_end()
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._watcher.wait, _END_SECONDS)
        if self._held is not None:
            self._held.remove()
            self._held = None

    def _let_watcher_end(self) -> None:
        assert self._watcher.stdin is not None
        with suppress(OSError):
            self._watcher.stdin.close()

    def _number(self, name: str) -> int | None:
        try:
            return int((self.folder / f"{name}.pid").read_text())
        except (OSError, ValueError):
            return None

    def _program(self, name: str, program: Path, variables: dict[str, str]) -> Path:
        number = shlex.quote(str(self.folder / f"{name}.pid"))
        lines = ["#!/bin/sh", f"echo $$ >{number}", f"unset {_NODE}"]
        lines += [f"export {key}={shlex.quote(value)}" for key, value in variables.items()]
        lines += [f'exec {shlex.quote(str(program))} "$@"', ""]
        path = self.folder / name
        path.write_text("\n".join(lines))
        path.chmod(0o700)
        return path
