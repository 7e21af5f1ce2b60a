"""Which private hosts a run may reach: those that a person named in its targets or parameters."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

from swather.model.private_addresses import is_private
from swather.net.errors import UnusableURL
from swather.net.request import PORTS, is_http, parse_origin, split_url

NOT_ALLOWED: Final = "was not given on the command line or as a target"
_USUAL_PORTS: Final = frozenset(PORTS.values())

Host = tuple[str, int]


def hosts_in(values: Iterable[Any]) -> set[Host]:
    """Host and port of every URL in these targets: the targets themselves, or their members."""
    # Millions of targets share a few beginnings: only those are parsed.
    beginnings = set()
    for value in values:
        for text in (value,) if type(value) is str else _texts_in(value):
            url = text.lstrip()
            end = url.find("/", len("https://"))
            beginnings.add(url if end < 0 else url[:end])
    hosts = {_host_of(beginning) for beginning in beginnings if is_http(beginning)}
    return {host for host in hosts if host is not None}


def canonical_port(port: int) -> int:
    """The port under which a host is allowed: 80 also for 443, because naming one means both."""
    return PORTS["http"] if port in _USUAL_PORTS else port


def refusal_reason(host: str, first_address: str | None) -> str | None:
    """Why a host that is at a private address may not be reached; None if it may.

    It may if a person named it and it was private when it was first looked up, at `first_address`
    (None: no one named it). A name that was public then and is private now may be an attack: its
    owner could send us anywhere in our own network (DNS rebinding).
    """
    if first_address is None:
        return NOT_ALLOWED
    if is_localhost(host) or _is_private_text(first_address):
        return None
    return (
        f"it was at {first_address}, on the public web, when this run first looked it up; "
        "start a new run if you moved it"
    )


def is_localhost(host: str) -> bool:
    """Whether a name is this machine's, whatever a resolver says (RFC 6761)."""
    return host == "localhost" or host.endswith(".localhost")


def _is_private_text(address: str) -> bool:
    try:
        return is_private(ip_address(address))
    except ValueError:
        # A name that only a local network knows; a proxy looks it up.
        return True


def _texts_in(value: Any) -> Iterator[str]:
    for member in value.values() if isinstance(value, dict) else (value,):
        inner = list(member.values()) if isinstance(member, dict) else member
        for text in inner if isinstance(inner, list | tuple) else (inner,):
            if isinstance(text, str):
                yield text


@lru_cache(maxsize=4096)
def _host_of(beginning: str) -> Host | None:
    try:
        origin = parse_origin(split_url(beginning)[0])
    except UnusableURL:
        return None
    return origin.host, canonical_port(origin.port)
