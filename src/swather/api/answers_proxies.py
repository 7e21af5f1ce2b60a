"""Answers about proxies, and which are meant."""

from datetime import datetime

from pydantic import Field

from swather.api.answers import Answer, Given, Number
from swather.model.proxy import ProxyState

MAX_IMPORTED = 20_000


class _Health(Answer):
    state: str = Field(examples=["usable"])
    requests: int = Field(examples=[812])
    successes: int = Field(examples=[800])
    success_rate: float | None = Field(examples=[0.985])
    faults: dict[str, int] = Field(examples=[{"timeout": 12}])
    latency_seconds: float | None = Field(examples=[0.21])
    last_error: str = Field(examples=[""])
    last_used_at: datetime | None
    failures: int = Field(description="in a row", examples=[0])
    retry_at: datetime | None
    blacklistings: int = Field(examples=[0])


class Proxy(_Health):
    """A proxy of the pool and its health over all sites. Its login is not shown."""

    proxy: int
    url: str
    tags: list[str] = Field(examples=[["home"]])
    country: str = Field(examples=["de"])
    weight: float = Field(examples=[1.0])
    sources: list[str] = Field(description="lists that have it", examples=[["provider"]])
    added_at: datetime
    worker_id: int | None = Field(description="which has it for itself", examples=[None])
    banned_sites: int = Field(examples=[0])


class ProxySite(_Health):
    """How a proxy fares on one site."""

    site: str = Field(examples=["example.com"])


class ProxyDetail(Proxy):
    """A proxy, and how it fares on each site."""

    sites: list[ProxySite]


class ImportProxies(Given):
    """A list of proxies: host:port, host:port:user:password, or a URL; `tags=a,b country=de
    weight=2` may follow.
    """

    proxies: list[str] = Field(
        min_length=1, max_length=MAX_IMPORTED, examples=[["198.51.100.7:3128"]]
    )
    source: str = Field(default="api", min_length=1, max_length=200, description="of the list")
    tags: list[str] = Field(default=[], max_length=100, examples=[["home"]])
    country: str | None = Field(
        default=None, max_length=10, description="where the list has none", examples=["de"]
    )
    replace: bool = Field(
        default=False, description="remove proxies of this source that are not in the list"
    )


class BadLine(Answer):
    line: int = Field(examples=[3])
    reason: str = Field(examples=["no port"])


class ImportedProxies(Answer):
    """What became of a list."""

    source: str
    added: int = Field(examples=[48])
    updated: int = Field(examples=[0])
    removed: int = Field(examples=[0])
    unchanged: int = Field(examples=[2])
    bad_lines: list[BadLine]


class ProxyFilter(Given):
    """Which proxies: those with all of the tags, of this country, source and state."""

    state: ProxyState | None = None
    tag: list[str] = Field(default=[], max_length=100, examples=[["home"]])
    country: str | None = Field(default=None, max_length=10, examples=["de"])
    source: str | None = Field(default=None, max_length=500, examples=["provider"])


class ProxyQuery(ProxyFilter):
    """Which proxies to list."""

    text: str = Field(default="", max_length=500, description="part of the address")
    limit: int = Field(default=100, ge=1, le=10_000, description="at most so many")


class ChooseProxies(ProxyFilter):
    """Which proxies to change, in exactly one way: by number, by what they have in common, or
    `all`.
    """

    proxies: list[Number] = Field(default=[], max_length=1_000, examples=[[3, 4]])
    all: bool = False


class ChangedProxy(Answer):
    proxy: int
    url: str


class ChangedProxies(Answer):
    """The proxies that were changed, or would be: the first 1,000, and how many there are."""

    verb: str = Field(examples=["enabled"])
    count: int
    proxies: list[ChangedProxy]
    dry_run: bool
