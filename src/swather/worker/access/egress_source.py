"""Egress sources: where the egresses of a scraper's requests come from."""

from typing import Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.worker.access.permits import Requester


class NoEgress(Exception):
    """There is none, and it will take long: the target comes again after `seconds`, uncharged."""

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


class EgressLost(Exception):
    """While a request waited, its egress went out of use: it needs another, and was not sent."""


class Asker(Protocol):
    """An attempt that asks for egresses: who it is, through which its last request went, and the
    keys of those that have failed its target.
    """

    @property
    def requester(self) -> Requester: ...
    @property
    def egress(self) -> Egress | None: ...
    @property
    def failed_keys(self) -> set[str]: ...


class EgressSource(Protocol):
    """Where the egresses of a scraper's requests come from: the proxy pool, Tor. Never a direct
    one: if there is none, nothing is requested. Belongs to the loop's thread.

    `lane` is that of the request, `session` the name of its cookies, '' if it keeps none.
    """

    @property
    def trouble(self) -> str:
        """Why requests have to wait, for people to read; '' while they do not. Read on any
        thread.
        """
        ...

    @property
    def is_out(self) -> bool:
        """Whether no request can leave, wherever it goes: nothing is claimed that needs one."""
        ...

    def choose(self, asker: Asker, lane: str, session: str) -> Egress | None:
        """The egress of the next request; None if there is none at once: then `wait`."""
        ...

    async def wait(self, asker: Asker, lane: str, session: str) -> Egress:
        """The same once there is one. NoEgress when that takes long; Permanent when there never
        will be one.
        """
        ...

    def may_use(self, egress: Egress, lane: str) -> bool:
        """Whether a request that was given this egress, and had to wait since, may still use it."""
        ...

    def has_other(self, asker: Asker, lane: str) -> bool:
        """Whether an attempt that failed for its egress may use another one now."""
        ...

    def answered(self, egress: Egress, lane: str, status: int, seconds: float) -> None:
        """A site has answered through the egress, and does not block it: 404 is such an answer."""
        ...

    def blocked(self, egress: Egress, lane: str, retry_after_seconds: float | None) -> bool:
        """The site refuses this egress. Whether it is enough that this one is left alone, since
        there are others; if not, the lane cools down.
        """
        ...

    def failed(self, egress: Egress, lane: str, error: FetchError, seconds: float) -> None:
        """No answer came: ProxyFailed is the egress's own fault, all else may be the site's."""
        ...

    async def renew(self, asker: Asker) -> None:
        """Leave as somebody else from now on: another circuit, another proxy."""
        ...

    def forget(self, run_id: int) -> None:
        """The run is over."""
        ...

    async def close(self) -> None: ...
