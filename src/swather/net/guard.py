"""The guard against private addresses: it checks every hop of every fetch before anything is sent.

A name is resolved here, its addresses are checked, and the client connects to exactly these
addresses: what the name resolves to a moment later does not matter.
"""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Final, NamedTuple

from swather.model.private_addresses import IPAddress, is_local_name, is_private
from swather.net.egress import DIRECT, Egress
from swather.net.errors import ConnectionFailed, Refused
from swather.net.fetch_policy import FetchPolicy
from swather.net.onion import check_onion, is_onion, refused_by_tor
from swather.net.request import Origin, parse_origin, path_and_query, split_url

TTL_SECONDS: Final = 60.0
MAX_HOSTS: Final = 4096
_LOOKUP_THREADS: Final = 16
_FOREVER: Final = float("inf")

Resolve = Callable[[str], Awaitable[Sequence[IPAddress]]]


class CheckedOrigin(NamedTuple):
    """An origin with its addresses; none where a proxy resolves the name.

    `pin` names host and addresses. `private` is the first address that is not on the public web.
    `decisive` is the address by which a policy decides: the private one, else the first; '' for an
    origin that any fetch may reach.
    """

    origin: Origin
    pin: str
    addresses: tuple[IPAddress, ...]
    private: str
    decisive: str
    until: float


class Guard:
    """Caches the origins it has checked: one seen before costs a dict lookup."""

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
        self._direct: dict[str, CheckedOrigin] = {}
        self._proxied: dict[str, CheckedOrigin] = {}
        self._through_tor: dict[str, CheckedOrigin] = {}
        self._looking: dict[str, asyncio.Task[tuple[IPAddress, ...]]] = {}

    def known(self, url: str, egress: Egress) -> tuple[str, CheckedOrigin] | None:
        """The URL to send and its origin, if that was checked lately."""
        end = url.find("/", 8)
        # Nearly every request has this very value, and is spared a call.
        origins = self._direct if egress is DIRECT else self._checked(egress)
        checked = origins.get(url[:end] if end > 0 else url)
        if checked is None or checked.until < self._now():
            return None
        return checked.origin.url + path_and_query(url[end:] if end > 0 else ""), checked

    async def resolve(self, url: str, egress: Egress) -> tuple[str, CheckedOrigin]:
        """The same for an origin that is new, or was checked too long ago: its name is resolved."""
        beginning, rest = split_url(url)
        origin = parse_origin(beginning)
        if is_onion(origin.host):
            check_onion(origin, egress)
        checked = await self._by_address(origin) if egress.is_direct else _by_name(origin)
        if checked.private and egress.is_tor:
            raise refused_by_tor(origin)
        if not origin.authorization:
            _remember(self._checked(egress), beginning, checked)
        return origin.url + path_and_query(rest), checked

    @staticmethod
    def is_allowed(checked: CheckedOrigin, policy: FetchPolicy) -> bool:
        """Whether a policy is known to allow an origin, without asking it."""
        origin = checked.origin
        return not checked.decisive or policy.may_reach(
            origin.host, origin.port, private=checked.private != ""
        )

    @staticmethod
    async def check(checked: CheckedOrigin, policy: FetchPolicy) -> None:
        """Raise Refused for a private origin, unless the policy allows it."""
        origin = checked.origin
        private = checked.private != ""
        why = await policy.refusal(origin.host, origin.port, checked.decisive, private=private)
        if why is None:
            return
        at = "" if checked.private == origin.host else f" is at {checked.private}, which"
        raise Refused(
            f"{origin.url}{at} is not on the public web, and {why}; to scrape a "
            "network of your own, give the scraper allow_private=True"
        )

    def close(self) -> None:
        if self._lookup is not None:
            self._lookup.close()

    def _checked(self, egress: Egress) -> dict[str, CheckedOrigin]:
        if egress.is_direct:
            return self._direct
        return self._through_tor if egress.is_tor else self._proxied

    async def _by_address(self, origin: Origin) -> CheckedOrigin:
        if origin.address is not None:
            private = origin.host if is_private(origin.address) else ""
            return CheckedOrigin(origin, origin.host, (origin.address,), private, private, _FOREVER)
        addresses = await self._addresses_of(origin.host)
        private = next((str(address) for address in addresses if is_private(address)), "")
        # The same in whatever order they come.
        pin = " ".join([origin.host, *sorted(map(str, addresses))])
        decisive = private or str(addresses[0])
        return CheckedOrigin(
            origin, pin, addresses, private, decisive, self._now() + self._ttl_seconds
        )

    async def _addresses_of(self, name: str) -> tuple[IPAddress, ...]:
        """Concurrent callers share one lookup, and none of them can cancel it."""
        looking = self._looking.get(name)
        if looking is None:
            looking = self._looking[name] = asyncio.create_task(self._looked_up(name))
            looking.add_done_callback(lambda _: self._looking.pop(name, None))
        return await asyncio.shield(looking)

    async def _looked_up(self, name: str) -> tuple[IPAddress, ...]:
        try:
            return tuple(await self._resolve(name))
        except (OSError, UnicodeError) as error:
            reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
            raise ConnectionFailed(f"the host {name} cannot be found{reason}") from None

    async def _lookup_by_system(self, name: str) -> Sequence[IPAddress]:
        assert self._lookup is not None
        return await self._lookup.addresses_of(name)


class _SystemLookup:
    """The system's resolver, in threads of its own: a slow name does not hold up others."""

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


def _by_name(origin: Origin) -> CheckedOrigin:
    if origin.address is not None:
        private = origin.host if is_private(origin.address) else ""
    else:
        private = origin.host if is_local_name(origin.host) else ""
    return CheckedOrigin(origin, "", (), private, private, _FOREVER)


def _remember(known: dict[str, CheckedOrigin], beginning: str, checked: CheckedOrigin) -> None:
    if len(known) >= MAX_HOSTS:
        for old in list(known)[: MAX_HOSTS // 2]:
            del known[old]
    known.pop(beginning, None)
    known[beginning] = checked
