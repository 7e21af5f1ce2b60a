"""A site that notes when it was asked for what, for the workers of these tests."""

import itertools
import time
from collections.abc import Mapping

from swather.testing.site import Answer, Asked, FakeSite, Route


class NotingSite(FakeSite):
    """Like FakeSite; `asked` has the time and the path of every request, robots.txt included."""

    def __init__(self, routes: Mapping[str, Route] | None = None) -> None:
        super().__init__(routes or {})
        self.asked: list[tuple[float, str]] = []

    def _answer_to(self, asked: Asked) -> Answer:
        self.asked.append((time.monotonic(), asked.path))
        if asked.path not in self.routes and asked.path != "/robots.txt":
            return Answer(f"<h1>{asked.path}</h1>")
        return super()._answer_to(asked)

    @property
    def lane(self) -> str:
        return self.url.removeprefix("http://")

    def paths(self) -> list[str]:
        """What was asked for, but for robots.txt."""
        return [path for _, path in self.asked if path != "/robots.txt"]

    def gaps(self) -> list[float]:
        """The seconds between each request and the next."""
        times = [at for at, _ in self.asked]
        return [after - before for before, after in itertools.pairwise(times)]
