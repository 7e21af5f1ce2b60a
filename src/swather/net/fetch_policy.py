"""Fetch policies: which hosts a fetch may reach, and what each of its hops has to wait for."""

from collections.abc import Awaitable
from typing import Final, Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.private_hosts import NOT_ALLOWED
from swather.net.request import Origin


class FetchPolicy(Protocol):
    """Decides about one fetch and follows its progress. A hop is one request on the wire: the
    first, or a redirect.

    may_reach           whether a host is already known to be allowed, at a private or at a public
                        address; if not, `refusal` is asked
    refusal             why a host may not be reached at an address (the first private one it has,
                        else the first; the name itself if only a proxy can look it up); None if it
                        may. A public address is never refused, only remembered
    admit               before every hop, with its egress; raises to refuse the hop. None if it may
                        be sent now, else what to wait for, which may refuse it, too
    answered            after the headers of every hop's response; `seconds` is how long they took
    failed              when no response came, or, after `answered`, its body could not be read; not
                        for what was refused
    end                 once, however the fetch ended
    """

    def may_reach(self, host: str, port: int, *, private: bool) -> bool: ...

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None: ...

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None: ...

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

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        del url, origin, egress
        return None

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        pass

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        pass

    def end(self) -> None:
        pass


ANYWHERE: Final = SimplePolicy(allow_private=True)
