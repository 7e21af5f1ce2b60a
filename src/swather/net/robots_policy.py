"""The policy for fetching a robots.txt: that of the fetch it is for, with fewer redirects."""

from typing import Final

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.errors import TooManyRedirects
from swather.net.fetch_policy import FetchPolicy
from swather.net.request import shown_url

MAX_REDIRECTS: Final = 5


class RobotsPolicy:
    """Another policy, but with five redirects at most, as RFC 9309 says."""

    def __init__(self, policy: FetchPolicy) -> None:
        self._policy = policy

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        return self._policy.may_reach(host, port, private=private)

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        return await self._policy.refusal(host, port, address, private=private)

    async def admit(self, url: str, hop: int, egress: Egress) -> None:
        if hop > MAX_REDIRECTS:
            raise TooManyRedirects(f"a robots.txt leads on and on, last to {shown_url(url)}")
        await self._policy.admit(url, hop, egress)

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        self._policy.answered(url, status, retry_after_seconds, seconds)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._policy.failed(url, error, seconds)

    def end(self) -> None:
        self._policy.end()
