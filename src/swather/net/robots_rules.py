"""The rules of a robots.txt: which URLs we may fetch, and how slowly (RFC 9309)."""

import re
from typing import Final

from protego import Protego

MAX_BYTES: Final = 500 * 1024
# The name of this program in a User-agent line, whatever else it calls itself.
OWN_TOKEN: Final = "swather"  # noqa: S105 - a product token is not a secret
_ALL: Final = "*"
_OTHERS: Final = "others"
_TOKEN: Final = re.compile(r"[A-Za-z_-]*")
# Every browser claims to be Mozilla, and some claim others: these name no one in particular.
_BROWSERS: Final = frozenset(
    {"applewebkit", "build", "chrome", "chromium", "edg", "edge", "firefox", "gecko",
     "khtml", "mobile", "mozilla", "msie", "opera", "opr", "presto", "safari", "trident", "version"}
)  # fmt: skip
# Inside such a User-Agent, though not within a URL: 'AcmeBot/1.2', 'compatible; AcmeBot'.
_VERSIONED: Final = re.compile(r"(?<![\w.+:/-])([A-Za-z_-]+)/[0-9]")
_COMPATIBLE: Final = re.compile(r"\bcompatible;\s*([A-Za-z_-]+)", re.IGNORECASE)
_AGENT_LINE: Final = re.compile(
    r"^([^\S\n]*user[- ]?agent(?:[^\S\n]*:|[^\S\n]))([^\n]*)$", re.IGNORECASE | re.MULTILINE
)
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


class Rules:
    """The groups of a robots.txt that are meant for us: those that name us, else those for all."""

    __slots__ = ("_protego", "crawl_delay_seconds")

    def __init__(self, protego: Protego | None, crawl_delay_seconds: float | None) -> None:
        self._protego = protego
        self.crawl_delay_seconds = crawl_delay_seconds

    def allows(self, url: str) -> bool:
        return self._protego is None or self._protego.can_fetch(url, OWN_TOKEN)


ALL_ALLOWED: Final = Rules(None, None)


def parse(body: bytes, *, user_agent: str, max_crawl_delay_seconds: float) -> Rules:
    """The rules in the first 500 KiB of a robots.txt; invalid lines are skipped."""
    own = {OWN_TOKEN, *names_of(user_agent)}
    named: set[str] = set()

    def one_of_three(line: re.Match[str]) -> str:
        name = _group_of(line[2].partition("#")[0].strip(), own)
        named.add(name)
        return f"{line[1]} {name}"

    # So that the parser cannot take 'sw' or 'swather-news' for one of our names.
    text = _AGENT_LINE.sub(one_of_three, _text_of(body))
    if named <= {_OTHERS}:
        return ALL_ALLOWED
    protego = Protego.parse(text)
    delay = protego.crawl_delay(OWN_TOKEN)
    return Rules(protego, min(delay, max_crawl_delay_seconds) if delay else None)


def names_of(user_agent: str) -> set[str]:
    """The names of a User-Agent in a robots.txt: 'acme' of 'Acme/1.0 (…)', and 'acmebot'
    of 'Mozilla/5.0 (compatible; AcmeBot/1.2)'; none when it is a browser's.
    """
    found = _TOKEN.match(user_agent)
    first = found[0].lower() if found else ""
    if first != "mozilla":
        return {first} - {""}
    names = _VERSIONED.findall(user_agent) + _COMPATIBLE.findall(user_agent)
    return {name.lower() for name in names} - _BROWSERS


def _group_of(name: str, own: set[str]) -> str:
    if name.split(maxsplit=1)[:1] == [_ALL]:
        return _ALL
    found = _TOKEN.match(name)
    return OWN_TOKEN if found and found[0].lower() in own else _OTHERS


def _text_of(body: bytes) -> str:
    """UTF-8, as it must be, or UTF-16, as it sometimes is; one kind of line end, and no NUL."""
    encoding = "utf-16" if body.startswith(_UTF_16_MARKS) else "utf-8-sig"
    text = body[:MAX_BYTES].decode(encoding, errors="replace")
    return "\n".join(text.replace("\0", "").splitlines())
