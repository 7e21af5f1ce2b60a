"""The verbs about sites: robots.txt, allowed hosts and stored pages."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from swather.model.stored_page import StoredPage, StoredRobots


class Robots(Protocol):
    """The robots.txt of sites. Whoever claims an origin fetches its file, so that the fleet fetches
    it once.
    """

    def get(self, origin: str) -> StoredRobots | None: ...
    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None:
        """Store a response in place of the last; any claim on the origin ends."""
        ...

    def claim(self, origin: str, holder: str, seconds: float) -> bool:
        """Whether it is `holder` who fetches the file now. Nobody else may until it has put the
        response or released the claim, or the time is over; nobody may while a response is fresh.
        """
        ...

    def release(self, origin: str, holder: str) -> None:
        """Give up a claim without a response; another holder's claim stays."""
        ...


# A host, its port, and an address that it resolved to.
Sighting = tuple[str, int, str]


class AllowedHosts(Protocol):
    """Hosts that a person named in the targets or parameters of a run; it may reach them at private
    addresses. A host is allowed per port; 80 stands for 443, too.
    """

    def add(self, run: str, hosts: Iterable[tuple[str, int]]) -> None:
        """Allow these as well; those already allowed stay as they are."""
        ...

    def pin(self, run: str, host: str, port: int, address: str) -> str | None:
        """The address that the host first resolved to: `address`, unless a worker of the run has
        pinned another before. None when nobody named the host.
        """
        ...

    def pin_all(self, run: str, sightings: Collection[Sighting]) -> None:
        """The same for many hosts at once, without a result."""
        ...


class Pages(Protocol):
    """Stored pages. A body is stored once, however many pages have it."""

    def put(self, run: str, pages: Sequence[StoredPage]) -> None:
        """One transaction; a page replaces an earlier one of its task and request."""
        ...

    def find(self, run: str, task_id: int) -> list[StoredPage]:
        """A task's pages in the order in which they were fetched."""
        ...

    def get(self, run: str, task_id: int, request_key: bytes) -> StoredPage | None: ...
    def latest(self, request_key: bytes, *, run: str | None = None) -> StoredPage | None:
        """The newest page of this request, of any task of a run, or of any run."""
        ...

    def tasks(self, run: str, *, after_id: int = 0, limit: int = 10_000) -> list[int]:
        """The ids of tasks that have pages, in order, after `after_id`."""
        ...

    def stats(self, run: str | None = None) -> dict[str, int]:
        """Pages, and the bytes of their bodies before and after compression."""
        ...
