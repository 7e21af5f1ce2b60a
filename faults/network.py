"""Two machines, as network and host-name namespaces of this one, a switch and a database server:
what is cut is silent, as with a cable that was pulled further away. Only root can make them.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from bench.servers.postgres import DURABLE
from tests import postgres
from tests.postgres import PostgresServer

MACHINES: Final = 2
_ENTER: Final = 'hostname "$0" && exec "$@"'


class Network:
    """The database is at `address`; each machine has a link to the switch, which can be cut."""

    def __init__(self) -> None:
        net = f"10.213.{os.getpid() % 250}"
        self.address = f"{net}.1"
        self._addresses = [f"{net}.{number + 2}" for number in range(MACHINES)]
        self._switch = f"sw{os.getpid()}"

    def __enter__(self) -> Self:
        _ip("link", "add", self._switch, "type", "bridge")
        _ip("address", "add", f"{self.address}/24", "dev", self._switch)
        _ip("link", "set", self._switch, "up")
        for number, address in enumerate(self._addresses):
            self._add(number, address)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number in range(MACHINES):
            _ip("netns", "delete", self._machine(number))
        _ip("link", "delete", self._switch)

    def command(self, number: int, command: list[str]) -> list[str]:
        """The same command on a machine; it is the process that is started."""
        machine = self._machine(number)
        entered = ["unshare", "--uts", "sh", "-c", _ENTER, f"machine-{number}", *command]
        return ["ip", "netns", "exec", machine, *entered]

    def cut(self, number: int) -> None:
        """From now on nothing that a machine sends arrives, and nothing that is sent to it."""
        _ip("link", "set", self._link(number), "nomaster")

    def mend(self, number: int) -> None:
        _ip("link", "set", self._link(number), "master", self._switch)

    def url(self, local: str) -> str:
        """How the machines reach the database that is at `local` for this process."""
        return f"postgresql://postgres@{self.address}:5432{urlsplit(local).path}"

    @contextmanager
    def server(self) -> Iterator[PostgresServer]:
        """A server that loses nothing and that the machines can reach."""
        before = dict(postgres.SETTINGS)
        os.environ.pop(postgres.URL_VARIABLE, None)
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as trusted:
            trusted.write(f"local all all trust\nhost all all {self.address}/24 trust\n")
            trusted.flush()
            Path(trusted.name).chmod(0o644)
            listening = {"listen_addresses": self.address, "hba_file": trusted.name}
            postgres.SETTINGS.update({**DURABLE, **listening})
            try:
                server = postgres.start()
                try:
                    yield server
                finally:
                    server.stop()
            finally:
                postgres.SETTINGS.clear()
                postgres.SETTINGS.update(before)

    def _add(self, number: int, address: str) -> None:
        machine, link = self._machine(number), self._link(number)
        _ip("netns", "add", machine)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", machine)
        _ip("link", "set", link, "master", self._switch, "up")
        for words in (
            ("address", "add", f"{address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-netns", machine, *words)

    def _machine(self, number: int) -> str:
        return f"{self._switch}-{number}"

    def _link(self, number: int) -> str:
        return f"{self._switch}l{number}"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
