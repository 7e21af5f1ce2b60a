"""A directory of businesses that takes its time, and may limit each address that asks."""

import time

from swather.builtin.listings.us_states import STATES
from swather.testing import Answer, Asked
from swather.testing.directory import SEARCH, Directory

TOO_MANY = Answer("<h1>Too many requests</h1>", 429)
# How many requests an address may make at once after a quiet time.
BURST = 2


class LimitingDirectory(Directory):
    """Each search takes `seconds`. An address, which is a proxy or whoever comes without one, may
    make one request every so many seconds; 0: as many as it likes. `too_many`: how many it made
    beyond that, which were answered with 429.
    """

    def __init__(self, seconds: float, every_seconds: float) -> None:
        super().__init__(1, STATES, 0, is_scripted=False)
        self.too_many = 0
        self._seconds = seconds
        self._every_seconds = every_seconds
        self._next_at: dict[str, float] = {}

    def _answer_to(self, asked: Asked) -> Answer:
        if asked.path != SEARCH:
            return super()._answer_to(asked)
        now = time.monotonic()
        address = asked.headers.get("via", "")
        next_at = max(self._next_at.get(address, 0.0), now) + self._every_seconds
        if next_at - now > BURST * self._every_seconds:
            self.too_many += 1
            wait = {"Retry-After": f"{max(self._every_seconds, 1.0):.0f}"}
            return TOO_MANY._replace(headers=wait)
        self._next_at[address] = next_at
        return super()._answer_to(asked)._replace(seconds=self._seconds)
