"""Keeps yt-dlp away from private addresses: its connections are its own, and no guard sees them.

Python tells audit hooks of every connection that a process makes, after redirects and lookups: what
a site names, or its name resolves to, cannot lead elsewhere.
"""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from swather.model.private_addresses import is_private
from swather.net.errors import Refused

# The private addresses that may be reached; None where nobody asked to be kept from any.
_allowed: ContextVar[frozenset[str] | None] = ContextVar("allowed", default=None)


@contextmanager
def only_public(*named: str) -> Iterator[None]:
    """Refuse connections to private addresses, except to those of the hosts of the named URLs."""
    _install()
    before = _allowed.set(frozenset(address for url in named for address in _addresses(url)))
    try:
        yield
    finally:
        _allowed.reset(before)


@cache
def _install() -> None:
    """Once per process: an audit hook stays."""
    sys.addaudithook(_on_event)


def _on_event(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.connect" or (allowed := _allowed.get()) is None:
        return
    address = args[1]
    if not isinstance(address, tuple) or address[0] in allowed:
        return
    try:
        private = is_private(ip_address(address[0].partition("%")[0]))
    except ValueError:
        # A name, which is resolved within the call: yt-dlp connects to addresses.
        private = True
    if private:
        raise Refused(
            f"{address[0]} is not on the public web, and no target that you gave is there"
        )


def _addresses(url: str) -> set[str]:
    try:
        host = urlsplit(url).hostname
        found = socket.getaddrinfo(host, None) if host else []
    except (OSError, ValueError):
        # yt-dlp will say what is wrong with it.
        return set()
    return {str(each[4][0]) for each in found}
