"""Egress: how a request leaves."""

import hashlib
import re
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.masking import HIDDEN

PROXY_SCHEMES: Final = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")

# Stricter than the clients: what they cannot read of a proxy's URL, such as a port out of range or
# a bare slash in a password, can make them go out directly.
_PROXY_URL: Final = re.compile(
    r"([a-z0-9]+)://(?:([^\s\x00-\x1f\x7f/?#\\]*)@)?"
    r"((?:\[[0-9a-f:.]+\]|[^\s\x00-\x1f\x7f/?#\\@:\[\]]+)(?::([1-9][0-9]{0,4}))?)/?",
    re.IGNORECASE,
)
# If it is not a proxy URL, a colon may be followed by a password.
_BEFORE_A_COLON: Final = re.compile(r"(?:[a-z0-9]+://)?[^\s:/?#\\]*", re.IGNORECASE)


class Egress(msgspec.Struct, frozen=True):
    """How a request leaves: directly, or through a proxy, which then looks names up itself.

    It goes with the request through every hop, its robots.txt, its session and its pacing. Whatever
    asks for an egress never goes out directly: one that cannot be used is an error.
    """

    proxy_url: str | None = None

    def __post_init__(self) -> None:
        if self.proxy_url is not None:
            _parts_of(self.proxy_url)

    @classmethod
    def through(cls, proxy_url: str) -> "Egress":
        """Through a proxy; InputError if that is not a proxy URL."""
        if not isinstance(proxy_url, str):
            kind = type(proxy_url).__name__  # not the value: it may hold a password
            raise InputError(
                f"a proxy is a URL such as 'http://user:password@proxy.example:3128', got a {kind}"
            )
        return cls(proxy_url)

    @property
    def is_direct(self) -> bool:
        return self.proxy_url is None

    @property
    def key(self) -> str:
        """A name for it, the same in every process: '' if it is direct. Those who log in to one
        proxy with different users or passwords may leave from different addresses, so that they
        have different keys, which hold neither.
        """
        return "" if self.proxy_url is None else _parts_of(self.proxy_url).key

    def __str__(self) -> str:
        return "direct" if self.proxy_url is None else _parts_of(self.proxy_url).shown

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


class _Parts(NamedTuple):
    key: str
    shown: str


@lru_cache(maxsize=1024)
def _parts_of(proxy_url: str) -> _Parts:
    found = _PROXY_URL.fullmatch(proxy_url)
    if found is None or found[1].lower() not in PROXY_SCHEMES or int(found[4] or 1) > 65_535:
        raise _refused(proxy_url)
    scheme, user, place = found[1].lower(), found[2], found[3].lower()
    if user is None:
        return _Parts(f"{scheme}://{place}", f"{scheme}://{place}")
    digest = hashlib.blake2b(user.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return _Parts(f"{scheme}://{place}#{digest}", f"{scheme}://{HIDDEN}@{place}")


def _refused(proxy_url: str) -> InputError:
    # Never what comes before an @: that may be a password.
    start = _BEFORE_A_COLON.match(proxy_url.rpartition("@")[2])
    host = start[0] if start else ""
    if proxy_url.partition("://")[0].lower() not in PROXY_SCHEMES:
        return InputError(
            "a proxy URL must begin with one of "
            f"{', '.join(f'{one}://' for one in PROXY_SCHEMES)}, got the one at {host!r}"
        )
    return InputError(
        f"the proxy at {host!r} cannot be used: write it as scheme://user:password@host:port, "
        "with %2F for a / in the password, %3F for a ? and %23 for a #"
    )
