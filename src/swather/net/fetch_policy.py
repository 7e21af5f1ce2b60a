"""Fetch policies: which hosts a fetch may reach, and what each of its hops has to wait for."""

from typing import Final, Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.private_hosts import NOT_ALLOWED


class FetchPolicy(Protocol):
    """Decides about one fetch and follows its progress. A hop is one request on the wire: the
    first, or a redirect.

    may_reach           whether a host is already known to be allowed, at a private or at a public
                        address; if not, `refusal` is asked
    refusal             why a host may not be reached at an address (the first private one it has,
                        else the first; the name itself if only a proxy can look it up); None if it
                        may. A public address is never refused, only remembered
    admit               before every hop, with its egress; may wait, and raises to refuse the hop
    answered            after the headers of every hop's response; `seconds` is how long they took
    failed              when no response came, or, after `answered`, its body could not be read; not
                        for what was refused
    end                 once, however the fetch ended
    """

    def may_reach(self, host: str, port: int, *, private: bool) -> bool: ...

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None: ...

    async def admit(self, url: str, egress: Egress) -> None: ...

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None: ...

    def failed(self, url: str, error: FetchError, seconds: float) -> None: ...

    def end(self) -> None: ...


class SimplePolicy:
    """Waits for nothing; refuses private addresses unless all are allowed."""

    def __init__(self, *, allow_private: bool = False) -> None:
        self._allow_private = allow_private

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        del host, port
        return self._allow_private or not private

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        del host, port, address
        return NOT_ALLOWED if private and not self._allow_private else None

    async def admit(self, url: str, egress: Egress) -> None:
        pass

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        pass

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        pass

    def end(self) -> None:
        pass


ANYWHERE: Final = SimplePolicy(allow_private=True)
