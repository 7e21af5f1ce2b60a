"""Exit relays: in which countries they are, and whether circuits leave where they shall."""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from swather.net.tor.control import Control

_AT_ONCE: Final = 200
_LAST_HOP: Final = re.compile(r"\$([0-9A-F]{40})(?:[~=]\w+)?$")
# Those that carry streams of clients; others lead to directories and onion services.
_TO_EXITS: Final = re.compile(r" PURPOSE=(?:GENERAL|CONFLUX_LINKED)\b")
_NOT_TO_EXITS: Final = re.compile(r" BUILD_FLAGS=\S*(?:ONEHOP_TUNNEL|IS_INTERNAL)")


class Relay(NamedTuple):
    fingerprint: str
    address: str
    is_exit: bool


class Circuit(NamedTuple):
    """A built one that ends at an exit, and that exit's fingerprint."""

    id: str
    exit: str


def relays_in(status: str) -> Iterator[Relay]:
    """From the entries of a consensus (GETINFO ns/…)."""
    fingerprint = address = ""
    for line in status.splitlines():
        kind, *fields = line.split()
        if kind == "r":
            fingerprint = b64decode(fields[1] + "=").hex().upper()
            # The digest of the descriptor is left out in the entries for clients.
            address = fields[-3]
        elif kind == "s":
            is_exit = {"Exit", "Running"} <= set(fields) and "BadExit" not in fields
            yield Relay(fingerprint, address, is_exit)


def built_circuit(line: str) -> Circuit | None:
    """From a line such as '7 BUILT $…~one,$…~two PURPOSE=GENERAL'; None for any other circuit."""
    fields = line.split(" ", 3)
    if len(fields) < 3 or fields[1] != "BUILT":
        return None
    if _TO_EXITS.search(line) is None or _NOT_TO_EXITS.search(line) is not None:
        return None
    last = _LAST_HOP.search(fields[2])
    return None if last is None else Circuit(fields[0], last[1])


async def has_countries(control: Control) -> bool:
    """Whether the daemon has a database of countries."""
    name = "ip-to-country/ipv4-available"
    return (await control.get(name)).get(name) == "1"


async def country_of_exit(control: Control, fingerprint: str) -> str:
    """'de'; '' if the relay is no longer known."""
    name = f"ns/id/{fingerprint}"
    for relay in relays_in((await control.get(name)).get(name, "")):
        return (await _countries(control, [relay.address])).get(relay.address, "")
    return ""


async def exits_by_country(control: Control) -> Counter[str]:
    """How many exits the network has in each country."""
    status = (await control.get("ns/all")).get("ns/all", "")
    addresses = [relay.address for relay in relays_in(status) if relay.is_exit]
    counts: Counter[str] = Counter()
    for start in range(0, len(addresses), _AT_ONCE):
        asked = addresses[start : start + _AT_ONCE]
        found = await _countries(control, list(dict.fromkeys(asked)))
        counts.update(found.get(address, "??") for address in asked)
    return counts


async def _countries(control: Control, addresses: list[str]) -> dict[str, str]:
    found = await control.get(*(f"ip-to-country/{address}" for address in addresses))
    return {name.partition("/")[2]: country.lower() for name, country in found.items()}
