"""Hosts that a person typed, in targets or parameters: a run may reach them wherever they are."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from swather.net.errors import UnusableURL
from swather.net.place import PORTS, place_of, split
from swather.net.request import is_http

MAX_HOSTS: Final = 1_000
_USUAL_PORTS: Final = frozenset(PORTS.values())


def hosts_in(value: Any) -> Iterator[str]:
    """'host:port' of every URL that a target is, or that is one of its members."""
    values = value.values() if isinstance(value, dict) else (value,)
    for member in values:
        for text in member if isinstance(member, list | tuple) else (member,):
            if isinstance(text, str) and (host := _host_of(text)):
                yield host


def typed_hosts(hosts: Iterable[str]) -> set[tuple[str, int]]:
    """Host and port of each; who typed one of a host's usual ports has typed both of them."""
    typed: set[tuple[str, int]] = set()
    for text in hosts:
        host, _, port = text.rpartition(":")
        number = int(port)
        typed.update((host, same) for same in _USUAL_PORTS if number in _USUAL_PORTS)
        typed.add((host, number))
    return typed


def _host_of(text: str) -> str:
    if not is_http(text[:80].lstrip()):
        return ""
    text = text.lstrip()
    end = text.find("/", 8)
    return _host_of_beginning(text if end < 0 else text[:end])


@lru_cache(maxsize=4096)
def _host_of_beginning(beginning: str) -> str:
    try:
        place = place_of(split(beginning)[0])
    except UnusableURL:
        return ""
    return f"{place.host}:{place.port}"
