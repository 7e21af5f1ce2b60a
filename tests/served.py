"""A real server for tests: the process of a command that serves, its link, and requests to it."""

import http.client
import json
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.forked import Forked
from tests.worker.given import wait_until

ADMIN = "a-token-for-everything"
READER = "a-token-for-reading"
_LINK = re.compile(r"^Dashboard +(\S+)\n", re.MULTILINE)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


class ServedProcess:
    """A command that serves, until `stop`. Its tokens are ADMIN and READER."""

    def __init__(self, folder: Path, *command: str, **variables: str) -> None:
        # They are closed in `close`.
        self._stdout = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115
        own = {"SWATHER_API_TOKEN": ADMIN, "SWATHER_API_READ_TOKEN": READER, **variables}
        self.process = Forked(
            command,
            cwd=folder,
            env={**os.environ, **own},
            stdout=self._stdout,
            stderr=self._stderr,
        )
        wait_until(lambda: self.process.poll() is not None or _LINK.search(self.out + self.err))

    @property
    def out(self) -> str:
        return _all_of(self._stdout)

    @property
    def err(self) -> str:
        return _all_of(self._stderr)

    @property
    def link(self) -> str:
        found = _LINK.search(self.out + self.err)
        assert found is not None, self.err
        return found[1]

    @property
    def curl(self) -> str:
        return self.out.splitlines()[1].removeprefix("API").strip()

    @property
    def host(self) -> str:
        """With its port."""
        return urlsplit(self.link).netloc

    def ask(
        self, method: str, path: str, body: Any = None, token: str | None = ADMIN, **headers: str
    ) -> Answer:
        given = {} if token is None else {"Authorization": f"Bearer {token}"}
        if body is not None:
            given["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, timeout=30)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {**given, **headers})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(30)
        self._stdout.close()
        self._stderr.close()


@contextmanager
def serving(folder: Path, *command: str, **variables: str) -> Iterator[ServedProcess]:
    server = ServedProcess(folder, *command, **variables)
    try:
        yield server
    finally:
        server.close()


def served(
    folder: Path, *arguments: str, **variables: str
) -> AbstractContextManager[ServedProcess]:
    """`swather serve` with these arguments."""
    return serving(folder, "serve", "--port", "0", *arguments, **variables)


def _all_of(file: Any) -> str:
    """Where the process writes stays as it is."""
    return os.pread(file.fileno(), 1 << 20, 0).decode()
