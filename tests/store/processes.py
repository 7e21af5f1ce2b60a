"""Real processes that work on a store and can be killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]

OPENING = """
import sys, time
import swather.store
from swather.model.lease import ClaimRequest
from tests.store.given import *
store = swather.store.open(sys.argv[1])
"""


class Running:
    """A process that has done its part, said so, and now waits."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.pid = process.pid
        self._process = process

    def line(self) -> str:
        said = self._process.stdout.readline().strip() if self._process.stdout else ""
        assert said, f"the process ended early with {self._process.wait()}"
        return said

    def go(self) -> None:
        """Let a process that reads a line go on."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def rest(self) -> str:
        """All that it still says until it ends well."""
        said, _ = self._process.communicate(timeout=50)
        assert self._process.returncode == 0
        return said

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.kill()
        self._process.wait(timeout=10)

    def kill_unreaped(self) -> None:
        """SIGKILL, and leave its exit status for nobody to read, as a parent that hangs would."""
        self._process.kill()
        while Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            pass


@contextmanager
def running(url: str, program: str) -> Iterator[Running]:
    """Run a program whose `store` is open on `url`; it is killed when the block ends."""
    with subprocess.Popen(
        [sys.executable, "-c", OPENING + program, url],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()
