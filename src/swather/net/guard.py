"""Where requests may go: every hop of every fetch is looked at here, before anything is sent.

A name is looked up here, its addresses are checked, and the client connects to these addresses and
to no others: what the name says a moment later does not count.
"""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Final, NamedTuple

from swather.model.private import IPAddress, is_local_name, is_private
from swather.net.errors import ConnectionFailed, Refused
from swather.net.fetch_policy import FetchPolicy
from swather.net.place import Place, place_of, rest_of, split

TTL_SECONDS: Final = 60.0
MAX_HOSTS: Final = 4096
_LOOKUP_THREADS: Final = 16
_FOREVER: Final = float("inf")

Resolve = Callable[[str], Awaitable[Sequence[IPAddress]]]


class Checked(NamedTuple):
    """A place with the addresses it is at; none where a proxy looks the name up.

    `pin` names host and addresses. `private` is the first of them that is not of the public web,
    and `decisive` the one by which a policy decides: that one, else the first; '' for a place that
    anybody may reach.
    """

    place: Place
    pin: str
    addresses: tuple[IPAddress, ...]
    private: str
    decisive: str
    until: float


class Guard:
    """Remembers the places it has looked at: one seen before costs a look into a dict."""

    def __init__(
        self,
        resolve: Resolve | None = None,
        *,
        ttl_seconds: float = TTL_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lookup = None if resolve is not None else _SystemLookup()
        self._resolve: Resolve = resolve or self._lookup_by_system
        self._ttl_seconds = ttl_seconds
        self._now = now
        self._direct: dict[str, Checked] = {}
        self._proxied: dict[str, Checked] = {}
        self._looking: dict[str, asyncio.Task[tuple[IPAddress, ...]]] = {}

    def known(self, url: str, *, proxied: bool = False) -> tuple[str, Checked] | None:
        """The URL to send and what is known of its place, if it was looked at lately."""
        end = url.find("/", 8)
        checked = (self._proxied if proxied else self._direct).get(url[:end] if end > 0 else url)
        if checked is None or checked.until < self._now():
            return None
        return checked.place.origin + rest_of(url[end:] if end > 0 else ""), checked

    async def look(self, url: str, *, proxied: bool = False) -> tuple[str, Checked]:
        """The same for a place that is new, or was looked at too long ago."""
        beginning, rest = split(url)
        place = place_of(beginning)
        checked = _by_name(place) if proxied else await self._by_address(place)
        if not place.authorization:
            _remember(self._proxied if proxied else self._direct, beginning, checked)
        return place.origin + rest_of(rest), checked

    @staticmethod
    def is_free(checked: Checked, policy: FetchPolicy) -> bool:
        """Whether a policy is known to allow a place, without asking it."""
        place = checked.place
        return not checked.decisive or policy.may_reach(
            place.host, place.port, private=checked.private != ""
        )

    @staticmethod
    async def check(checked: Checked, policy: FetchPolicy) -> None:
        """Raise Refused for a private place, unless the policy allows it."""
        place = checked.place
        private = checked.private != ""
        why = await policy.refusal(place.host, place.port, checked.decisive, private=private)
        if why is None:
            return
        at = "" if checked.private == place.host else f" is at {checked.private}, which"
        raise Refused(
            f"{place.origin}{at} is not on the public web, and {why}; to scrape a "
            "network of your own, give the scraper allow_private=True"
        )

    def close(self) -> None:
        if self._lookup is not None:
            self._lookup.close()

    async def _by_address(self, place: Place) -> Checked:
        if place.address is not None:
            private = place.host if is_private(place.address) else ""
            return Checked(place, place.host, (place.address,), private, private, _FOREVER)
        addresses = await self._addresses_of(place.host)
        private = next((str(address) for address in addresses if is_private(address)), "")
        # In any order they are the same.
        pin = " ".join([place.host, *sorted(map(str, addresses))])
        decisive = private or str(addresses[0])
        return Checked(place, pin, addresses, private, decisive, self._now() + self._ttl_seconds)

    async def _addresses_of(self, name: str) -> tuple[IPAddress, ...]:
        """All who ask at the same time share one lookup, and none of them can cancel it."""
        looking = self._looking.get(name)
        if looking is None:
            looking = self._looking[name] = asyncio.create_task(self._looked_up(name))
            looking.add_done_callback(lambda _: self._looking.pop(name, None))
        return await asyncio.shield(looking)

    async def _looked_up(self, name: str) -> tuple[IPAddress, ...]:
        try:
            return tuple(await self._resolve(name))
        except (OSError, UnicodeError) as error:
            told = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
            raise ConnectionFailed(f"the name {name} cannot be found{told}") from None

    async def _lookup_by_system(self, name: str) -> Sequence[IPAddress]:
        assert self._lookup is not None
        return await self._lookup.addresses_of(name)


class _SystemLookup:
    """Names as the system knows them, in threads of its own: a slow one holds up no others."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def addresses_of(self, name: str) -> Sequence[IPAddress]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_LOOKUP_THREADS, "swather-names")
        found = await asyncio.get_running_loop().run_in_executor(
            self._threads, lambda: socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        )
        return list(dict.fromkeys(ip_address(str(entry[4][0])) for entry in found))

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)


def _by_name(place: Place) -> Checked:
    if place.address is not None:
        private = place.host if is_private(place.address) else ""
    else:
        private = place.host if is_local_name(place.host) else ""
    return Checked(place, "", (), private, private, _FOREVER)


def _remember(known: dict[str, Checked], beginning: str, checked: Checked) -> None:
    if len(known) >= MAX_HOSTS:
        for old in list(known)[: MAX_HOSTS // 2]:
            del known[old]
    known.pop(beginning, None)
    known[beginning] = checked
