"""The URL of a proxy: whether it is one, its key, and how it may be shown."""

import hashlib
import re
from functools import lru_cache
from typing import Final, NamedTuple

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


class ProxyParts(NamedTuple):
    """`key` is the same in every process. Those who log in to one proxy with different users or
    passwords may leave from different addresses, so that they have different keys, which hold
    neither; nor does `shown`.
    """

    key: str
    shown: str


@lru_cache(maxsize=32_768)
def proxy_parts(proxy_url: str) -> ProxyParts:
    """InputError, without a password in it, if this is not the URL of a proxy."""
    found = _PROXY_URL.fullmatch(proxy_url)
    if found is None or found[1].lower() not in PROXY_SCHEMES or int(found[4] or 1) > 65_535:
        raise _refused(proxy_url)
    scheme, user, place = found[1].lower(), found[2], found[3].lower()
    if user is None:
        return ProxyParts(f"{scheme}://{place}", f"{scheme}://{place}")
    digest = hashlib.blake2b(user.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return ProxyParts(f"{scheme}://{place}#{digest}", f"{scheme}://{HIDDEN}@{place}")


def address_of(key: str) -> str:
    """The proxy's address alone, for people: what tells its users apart is left out."""
    return key.partition("#")[0]


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
