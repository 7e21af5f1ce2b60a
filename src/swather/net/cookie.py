"""One cookie: parsed from a Set-Cookie header, and matched with requests as RFC 6265 says."""

import re
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


MAX_COOKIE_BYTES: Final = 4096
MAX_ATTRIBUTE_BYTES: Final = 1024
_OBJECT_BYTES: Final = 400
_PREFIXES: Final = ("__host-", "__secure-")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_TIME: Final = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)")
_DATE_PART: Final = re.compile(r"[^\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun",
                  "jul", "aug", "sep", "oct", "nov", "dec")  # fmt: skip


class CookieURL(NamedTuple):
    """The parts of a URL that decide about cookies."""

    host: str
    path: str
    is_secure: bool


class Cookie(msgspec.Struct, frozen=True, kw_only=True):
    """`host_only`: it is sent to the host that set it, not to subdomains."""

    name: str
    value: str
    domain: str
    path: str = "/"
    host_only: bool = True
    secure: bool = False
    expires_at: float | None = None

    @property
    def size_bytes(self) -> int:
        """Approximate memory it takes."""
        texts = (self.name, self.value, self.domain, self.path)
        return _OBJECT_BYTES + sum(map(len, texts))

    def is_for(self, page: CookieURL) -> bool:
        if self.host_only and page.host != self.domain:
            return False
        return _is_below(page.path, self.path) and (page.is_secure or not self.secure)

    def hides(self, other: "Cookie") -> bool:
        """Whether some page gets both and could mistake this one for the other."""
        if self.name != other.name or not _is_below(self.path, other.path):
            return False
        return is_within(self.domain, other.domain) or is_within(other.domain, self.domain)


def cookie_url(url: str) -> CookieURL:
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            host = ""
    return CookieURL(host, parts.path or "/", parts.scheme.lower() == "https")


def domains_of(host: str) -> list[str]:
    """The host and the domains above it whose cookies it gets, the nearest first."""
    if _is_address(host):
        return [host]
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(max(len(labels) - 1, 1))]


def cookie_of(text: str, page: CookieURL, now: float) -> Cookie | None:
    """The cookie in a Set-Cookie header of that page; None when it must be ignored."""
    if _CONTROL.search(text):
        return None
    pair, _, rest = text.partition(";")
    name, equals, value = pair.partition("=")
    name, value = (name.strip(), value.strip()) if equals else ("", name.strip())
    if not (name or value) or len((name + value).encode(errors="replace")) > MAX_COOKIE_BYTES:
        return None
    given = _attributes(rest)
    domain = given.get("domain", "").lstrip(".").lower()
    if domain and not _may_set(domain, page.host):
        return None
    path = given.get("path", "")
    cookie = Cookie(
        name=name,
        value=value,
        domain=domain or page.host,
        path=path if path.startswith("/") else _folder_of(page.path),
        host_only=not domain or _is_address(domain) or is_public_suffix(domain),
        secure="secure" in given,
        expires_at=_expires_at(given, now),
    )
    return cookie if _is_acceptable(cookie, path, page) else None


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        if len(value) <= MAX_ATTRIBUTE_BYTES:
            found[name.strip().lower()] = value.strip()
    return found


def is_within(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _may_set(domain: str, host: str) -> bool:
    """Whether the host may set cookies for the domain."""
    if domain == host:
        return True
    return is_within(host, domain) and not _is_address(host) and not is_public_suffix(domain)


def _is_address(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


def _is_acceptable(cookie: Cookie, path: str, page: CookieURL) -> bool:
    """Secure cookies must come from secure pages; two name prefixes require more."""
    if cookie.secure and not page.is_secure:
        return False
    if not cookie.name:
        # It is sent as its value alone, which must not look like such a name.
        return not cookie.value.lower().startswith(_PREFIXES)
    name = cookie.name.lower()
    if name.startswith("__host-"):
        return cookie.secure and cookie.host_only and path == "/"
    return cookie.secure or not name.startswith("__secure-")


def _folder_of(path: str) -> str:
    return path[: path.rfind("/")] or "/" if path.startswith("/") else "/"


def _is_below(path: str, folder: str) -> bool:
    return path == folder or (
        path.startswith(folder) and (folder.endswith("/") or path[len(folder)] == "/")
    )


def _expires_at(given: dict[str, str], now: float) -> float | None:
    """When the cookie expires; None at the end of the session. Max-Age wins over Expires."""
    age = given.get("max-age", "")
    if re.fullmatch(r"-?[0-9]{1,12}", age):
        return now + int(age) if int(age) > 0 else 0.0
    return _date_of(given.get("expires", ""))


def _date_of(text: str) -> float | None:
    """A date as sites write it, by the algorithm of RFC 6265 5.1.1."""
    time = day = month = year = None
    for part in _DATE_PART.findall(text):
        if time is None and (found := _TIME.match(part)):
            time = timedelta(hours=int(found[1]), minutes=int(found[2]), seconds=int(found[3]))
        elif day is None and (found := re.match(r"(\d{1,2})(?:\D|$)", part)):
            day = int(found[1])
        elif month is None and part[:3].lower() in _MONTHS:
            month = _MONTHS.index(part[:3].lower()) + 1
        elif year is None and (found := re.match(r"(\d{2,4})(?:\D|$)", part)):
            year = int(found[1])
    if time is None or day is None or month is None or year is None:
        return None
    if year < 100:
        year += 1900 if year >= 70 else 2000
    try:
        return (datetime(year, month, day, tzinfo=UTC) + time).timestamp()
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def is_public_suffix(domain: str) -> bool:
    """Whether a domain, in lower-case ASCII, is a public suffix; every top-level domain is."""
    return _suffixes().is_public(domain)


@cache
def _suffixes() -> "PublicSuffixList":
    # Loading it takes 0.1 s and some megabytes, and most processes never need it.
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415

    return PublicSuffixList()
