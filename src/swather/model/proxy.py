"""Proxies: the pool that all workers share, as workers and people see it."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.proxy_url import proxy_parts

MAX_WEIGHT: Final = 1_000_000.0


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy as workers see it. Its URL has its password: show `str(proxy)` instead.

    Times are seconds since 1970 by the database's clock. One that has passed stays until a probe
    has decided: whoever wants to use the proxy then has to take that probe first.
    """

    id: int
    url: str
    tags: tuple[str, ...] = ()
    country: str = ""
    weight: float = 1.0
    uses: int = 0
    # Blacklisted for all sites until then.
    retry_at: float | None = None
    # Blacklisted on these sites until then.
    sites: dict[str, float] = {}
    # The worker that has it for itself alone.
    worker_id: int | None = None

    @property
    def key(self) -> str:
        return proxy_parts(self.url).key

    def __str__(self) -> str:
        return proxy_parts(self.url).shown

    def __repr__(self) -> str:
        return f"Proxy(id={self.id}, url={str(self)!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("id", self.id), ("url", str(self))]


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """The enabled proxies, in order of their ids, and the database's clock at the read."""

    version: int
    proxies: list[Proxy]
    now: float


class ProxyFault(StrEnum):
    """Why a request through a proxy failed.

    PROXY: the proxy cannot be reached or refuses us (407, a refused CONNECT), whatever the site.
    The others concern one site: BANNED, it blocks this address; TIMEOUT; NETWORK, a reset or a
    broken TLS handshake.
    """

    PROXY = "proxy"
    BANNED = "banned"
    TIMEOUT = "timeout"
    NETWORK = "network"


class ProxyReport(msgspec.Struct, frozen=True):
    """What came of requests through one proxy to one site since the last report."""

    proxy_id: int
    site: str
    successes: int = 0
    faults: dict[ProxyFault, int] = {}
    # The sum over the successes.
    seconds: float = 0.0
    error: str = ""
    # Whether the last of them succeeded.
    ended_well_last: bool = False
    retry_after_seconds: float | None = None
    is_probe: bool = False


class BlacklistRule(msgspec.Struct, frozen=True):
    """So many failures in a row blacklist for so many seconds."""

    threshold: int = 10
    seconds: float = 3_600.0

    def __post_init__(self) -> None:
        if self.threshold < 1:
            raise InputError(f"the threshold must be at least 1, got {self.threshold!r}")
        if not 0 < self.seconds < float("inf"):
            raise InputError(f"a blacklist must last more than 0 seconds, got {self.seconds!r}")


class Loaded(NamedTuple):
    """What a list of proxies changed in the pool. `removed` were in the source's last list and are
    in no other source.
    """

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0


class ProxyState(StrEnum):
    """PROBING: its time on the blacklist is over, and one request decides whether it returns."""

    USABLE = "usable"
    BLACKLISTED = "blacklisted"
    PROBING = "probing"
    DISABLED = "disabled"


class ProxyFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which proxies: those with all of the tags, from the country and source, in the state; `text`
    is part of the address, or all of it.
    """

    tags: tuple[str, ...] = ()
    country: str = ""
    source: str = ""
    state: ProxyState | None = None
    text: str = ""


ALL_PROXIES: Final = ProxyFilter()


class ProxyHealth(msgspec.Struct, frozen=True, kw_only=True):
    """How a proxy fares, on one site or in all: totals, what is recent, and the blacklist.

    `latency_seconds` is that of recent successes; `failures` are those in a row which count
    towards the blacklist.
    """

    successes: int = 0
    faults: dict[ProxyFault, int] = {}
    latency_seconds: float | None = None
    last_error: str = ""
    last_used_at: float | None = None
    failures: int = 0
    retry_at: float | None = None
    blacklistings: int = 0
    probing_until: float | None = None

    @property
    def uses(self) -> int:
        return self.successes + sum(self.faults.values())


class ProxyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy as people see it: `url` is without user and password. `banned` is the number of sites
    on which it is blacklisted.
    """

    id: int
    url: str
    state: ProxyState
    tags: tuple[str, ...]
    country: str
    weight: float
    sources: tuple[str, ...]
    added_at: datetime
    worker_id: int | None
    banned: int
    uses: int
    successes: int
    faults: dict[ProxyFault, int]
    latency_seconds: float | None
    last_error: str
    last_used_at: datetime | None
    failures: int
    retry_at: datetime | None
    blacklistings: int


class ProxySite(msgspec.Struct, frozen=True, kw_only=True):
    """How a proxy fares on one site."""

    site: str
    state: ProxyState
    uses: int
    successes: int
    faults: dict[ProxyFault, int]
    latency_seconds: float | None
    last_error: str
    last_used_at: datetime | None
    failures: int
    retry_at: datetime | None
    blacklistings: int


class ProxyDetail(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy with its sites, the latest used first."""

    proxy: ProxyRow
    sites: list[ProxySite]
