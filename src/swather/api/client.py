"""A client of a server: what the commands do, from Python, on another machine.

    client = swather.Client("https://swather.example.com", token="…")
    run = client.runs.start("books", ["https://example.com/"])["run"]
    for item in client.runs.items(run):
        print(item)

Answers are dicts under the names of `--json`.
"""

import time
from typing import Final

from swather.api.client_nouns import API, Data, Errors, Fleets, Lanes, Runs, Tasks, Workers
from swather.api.connection import TIMEOUT_SECONDS, Connection
from swather.errors import ServerRefused

_LOOK_SECONDS: Final = 0.2


class Client:
    """Of the server at `url`; without `token`, SWATHER_API_TOKEN. Threads may share one.

    What a server refuses is a ServerRefused, with its `detail` and, where it helps, the `command`
    to type; ServerUnreachable if there is no answer.
    """

    def __init__(
        self, url: str, *, token: str | None = None, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        self._connection = Connection(url, token, timeout_seconds=timeout_seconds)
        self.runs = Runs(self._connection)
        self.tasks = Tasks(self._connection)
        self.errors = Errors(self._connection)
        self.lanes = Lanes(self._connection)
        self.workers = Workers(self._connection)
        self.fleets = Fleets(self._connection)

    @property
    def url(self) -> str:
        return self._connection.url

    def status(self) -> Data:
        """The newest runs, the workers, and what holds all of them up."""
        return self._asked("/status")

    def action(self, number: int) -> Data:
        """Something that was begun in the background: `done` of `total`."""
        return self._asked(f"/actions/{number}")

    def wait(self, answer: Data) -> Data:
        """Return when what an answer has begun in the background is done: the answer itself, if
        nothing was; ServerRefused if it failed.
        """
        while (number := answer.get("action")) is not None:
            action = self.action(number)
            if action["state"] == "failed":
                raise ServerRefused(500, str(action["error"]))
            if action["state"] == "done":
                return action
            time.sleep(_LOOK_SECONDS)
        return answer

    def _asked(self, path: str) -> Data:
        found: Data = self._connection.ask("GET", f"{API}{path}")
        return found
