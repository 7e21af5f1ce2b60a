"""Egress: how a request leaves."""

from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.model.proxy_url import proxy_parts

# Tor takes any; without one, a client may not send the user.
_ANY_PASSWORD: Final = "0"  # noqa: S105


class Egress(msgspec.Struct, frozen=True):
    """How a request leaves: directly, or through a proxy, which then looks names up itself. With
    `is_tor` the proxy is a Tor daemon: it reaches onion addresses, and nothing private.

    It goes with the request through every hop, its robots.txt, its session and its pacing. Whatever
    asks for an egress never goes out directly: one that cannot be used is an error.
    """

    proxy_url: str | None = None
    is_tor: bool = False

    def __post_init__(self) -> None:
        if self.proxy_url is not None:
            proxy_parts(self.proxy_url)

    @classmethod
    def through(cls, proxy_url: str) -> "Egress":
        """Through a proxy; InputError if that is not a proxy URL."""
        if not isinstance(proxy_url, str):
            kind = type(proxy_url).__name__  # not the value: it may hold a password
            raise InputError(
                f"a proxy is a URL such as 'http://user:password@proxy.example:3128', got a {kind}"
            )
        return cls(proxy_url)

    @classmethod
    def through_tor(cls, socks: str, user: str) -> "Egress":
        """Through the Tor daemon at host:port, by the circuit of this user."""
        return cls(f"socks5h://{user}:{_ANY_PASSWORD}@{socks}", is_tor=True)

    @property
    def is_direct(self) -> bool:
        return self.proxy_url is None

    @property
    def key(self) -> str:
        """A name for it, the same in every process: '' if it is direct. Those who log in to one
        proxy with different users or passwords may leave from different addresses, so that they
        have different keys, which hold neither.
        """
        return "" if self.proxy_url is None else proxy_parts(self.proxy_url).key

    def __str__(self) -> str:
        if self.is_tor:
            return "Tor"
        return "direct" if self.proxy_url is None else proxy_parts(self.proxy_url).shown

    def __repr__(self) -> str:
        return f"Egress({self})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("proxy_url", self.proxy_url and str(self))]


DIRECT: Final = Egress()


class WayOut(StrEnum):
    """Where a scraper's requests get their egress, unless they name one."""

    DIRECT = "direct"
    POOL = "pool"
    TOR = "tor"
