"""The trip to a robots.txt: shorter than others, and paid by who wants to know."""

from typing import Final

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.errors import TooManyRedirects
from swather.net.request import shown_url
from swather.net.trip import Trip

MAX_REDIRECTS: Final = 5


class RobotsTrip:
    """A trip of somebody that ends after five redirects, as RFC 9309 has it."""

    def __init__(self, trip: Trip) -> None:
        self._trip = trip

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        return self._trip.may_reach(host, port, private=private)

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        return await self._trip.refusal(host, port, address, private=private)

    async def admit(self, url: str, hop: int, egress: Egress) -> None:
        if hop > MAX_REDIRECTS:
            raise TooManyRedirects(f"a robots.txt leads on and on, last to {shown_url(url)}")
        await self._trip.admit(url, hop, egress)

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        self._trip.answered(url, status, retry_after_seconds, seconds)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._trip.failed(url, error, seconds)

    def end(self) -> None:
        self._trip.end()
