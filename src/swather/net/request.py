"""A request as a scraper asks for it."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import msgspec

from swather.errors import InputError
from swather.masking import HIDDEN, masked, masked_url
from swather.net.egress import DIRECT, Egress

_SHOWN_CHARACTERS: Final = 300
_SCHEMES: Final = ("http://", "https://")
_USER: Final = re.compile(rf"^((?:[\w+.-]+://)?)[^/@]*{re.escape(HIDDEN)}@")


class Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`params` are added to the URL's query; `timeout` is in seconds, None the fetcher's own.

    `egress` is how it leaves, `profile` the browser to look like ("chrome140"), `session` the name
    of the cookies to send and to keep; without one none are kept.

    `trust_redirects` lets a redirect take the body and all headers to another origin, though never
    from https to http. `https_only` refuses http on every hop, except to hosts of a local network.
    """

    url: str
    method: str = "GET"
    headers: dict[str, str] = {}
    params: dict[str, str | list[str]] = {}
    body: bytes | None = None
    timeout: float | None = None
    egress: Egress = DIRECT
    profile: str | None = None
    session: str = ""
    trust_redirects: bool = False
    https_only: bool = False

    def __post_init__(self) -> None:
        if not is_http(self.url):
            raise InputError(
                f"only http and https URLs can be fetched, got {shown_url(self.url)!r}"
            )
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise InputError(f"timeout must be a positive number of seconds, got {self.timeout!r}")

    def with_headers(self, headers: Mapping[str, str]) -> "Request":
        """The same request with these headers, in place of those of the same name in any case."""
        given = {name.lower() for name in headers}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in given}
        return msgspec.structs.replace(self, headers={**kept, **headers})

    def through(self, proxy: str) -> "Request":
        """The same request through the proxy of this URL."""
        return msgspec.structs.replace(self, egress=Egress.through(proxy))

    def in_session(self, session: str) -> "Request":
        return msgspec.structs.replace(self, session=session)

    def over_https(self) -> "Request":
        return msgspec.structs.replace(self, https_only=True)

    @property
    def full_url(self) -> str:
        """The URL with `params` in its query."""
        if not self.params:
            return self.url
        # Not by urlsplit, which refuses what cannot be requested with an error of its own.
        start, mark, fragment = self.url.partition("#")
        base, _, query = start.partition("?")
        query = "&".join(filter(None, (query, urlencode(self.params, doseq=True))))
        return f"{base}{query and '?'}{query}{mark}{fragment}"


def is_http(url: str) -> bool:
    return url.startswith(_SCHEMES) or url[:8].lower().startswith(_SCHEMES)


def shown_url(url: str) -> str:
    """A URL as it may be shown: without the password in it, of bearable length."""
    text = _USER.sub(r"\1", masked(masked_url(url)))
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
