"""Whose fetch it is: what it may reach, and who is asked before each of its hops."""

from typing import Final, Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.typed import NOT_TYPED


class Trip(Protocol):
    """One fetch as its owner sees it. A hop is one request on the wire: the first, each redirect.

    may_reach           whether it is known that a host may be reached, at a private address or at a
                        public one; if not, `refusal` is asked
    refusal             why a host may not be reached at an address (the first private one it has,
                        else the first; the name itself if only a proxy can look it up); None if it
                        may. One at a public address always may: it is noted
    admit               before every hop, 0 being the first, with its egress; may wait, and raises
                        to refuse it
    answered            after the head of every hop's answer; `seconds` is how long it took
    failed              when no answer came, or, after `answered`, its body could not be taken; not
                        for what was refused
    end                 once, whatever became of it
    """

    def may_reach(self, host: str, port: int, *, private: bool) -> bool: ...

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None: ...

    async def admit(self, url: str, hop: int, egress: Egress) -> None: ...

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None: ...

    def failed(self, url: str, error: FetchError, seconds: float) -> None: ...

    def end(self) -> None: ...


class FreeTrip:
    """A fetch that asks nobody."""

    def __init__(self, *, allow_private: bool = False) -> None:
        self._allow_private = allow_private

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        del host, port
        return self._allow_private or not private

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        del host, port, address
        return NOT_TYPED if private and not self._allow_private else None

    async def admit(self, url: str, hop: int, egress: Egress) -> None:
        pass

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        pass

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        pass

    def end(self) -> None:
        pass


ANYWHERE: Final = FreeTrip(allow_private=True)
