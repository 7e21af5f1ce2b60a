"""What a scraper says about itself in its decorator, checked when it is said."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TypedDict

from swather.errors import InputError
from swather.file_location import Location
from swather.model.lease import Strategy
from swather.model.pacing import DEFAULT_RATE, NO_RATE, Limits, parse_rate
from swather.model.retry import Backoff, Budgets
from swather.net.egress import WayOut
from swather.scraping.arguments import HeaderFields, OwnHeaders
from swather.scraping.option_checks import (
    AUTO,
    CHECKS,
    ExecutionMode,
    Isolation,
    KeyFunction,
    Named,
    SessionScope,
    TargetsFunction,
)
from swather.scraping.proxies import Proxies
from swather.settings_row import FILES_FOLDER

__all__ = [
    "ExecutionMode",
    "Isolation",
    "KeyFunction",
    "Named",
    "OptionFields",
    "Options",
    "SessionScope",
    "TargetsFunction",
    "options_from",
]


class OptionFields(TypedDict, total=False):
    """The keywords of the decorator; `Options` has the defaults."""

    name: str
    rate: str | None
    total_rate: str | None
    burst: int
    lane: Named
    partition: Named
    key: KeyFunction | None
    targets: TargetsFunction | None
    in_flight: int | None
    retries: int
    backoff: float | Backoff
    timeout: float
    delay: float | tuple[float, float] | None
    isolation: str | None
    execution_mode: str
    strategy: str | None
    tor: bool | str
    browser: bool
    proxies: bool | str | Path | Sequence[str] | Proxies | None
    robots: bool
    allow_private: bool
    session: str | None
    profile: str | None
    user_agent: str | None
    headers: HeaderFields | None
    store_pages: bool | None
    files_folder: str | Path
    version: str
    params: type | None
    recycle_after: int
    memory_limit_mb: int | None
    urls_normalised: bool


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a scraper wants to be run.

    name             the name of the scraper; by default that of the function or class
    rate             requests per lane: '5/s', '30/min', 'auto', 'none'; 5/s per public host if None
                     ('auto' learns a pace from how fast the site answers); with proxies, for each
                     of them
    total_rate       targets that the scraper may start, over all lanes: '10/s'
    burst            how many targets may start at once before a rate applies
    lane             what is paced as one: a name, or a function of the target; a URL's host if None
    partition        what is owned by one worker at a time: a name, or a function of the target
    key              what makes two targets the same one: a function of the target; its URL, or all
                     of it, if None
    targets          what is scraped when no targets are named: a function of the params that gives
                     targets, or a Target where one has a priority of its own
    in_flight        how many targets run at the same time on one lane; with proxies, for each
    retries          executions after the first
    backoff          delay = backoff ** attempts seconds, or a Backoff
    timeout          seconds after which an execution is stopped
    delay            seconds a slot waits between two targets, or (at least, at most)
    isolation        'task', 'thread' or 'process'; by default 'task' if it is async, else 'thread'
    execution_mode   what `swather start` does: 'single' runs it here in one process,
                     'distributed' leaves its targets to workers anywhere
    strategy         'fifo', 'lifo', 'priority' or 'weighted_random'
    tor              whether its requests go through Tor; a country such as 'de' for its exits
    browser          whether it uses a browser: `ctx.render` and `ctx.browser`
    proxies          True for all proxies of the pool, Proxies(…) for some; a file or a list of
                     proxies, which is added to the pool, for these
    robots           whether robots.txt is obeyed
    allow_private    whether private and loopback addresses may be reached
    session          who shares cookies: 'run', 'lane' or 'proxy'; none are kept if None
    profile          the browser that requests imitate, such as 'chrome140'; none if None
    user_agent       the User-Agent of its requests, also for robots.txt; Swather's if None
    headers          headers of its requests; secret ones are given per origin
    store_pages      whether pages are kept for `swather replay`; as the setting says if None
    files_folder     folder for files that it saves, unless a setting or a command names one
    version          changing it drops the cursors of unfinished targets
    params           a dataclass, msgspec Struct or pydantic model that types `ctx.params`
    recycle_after    targets after which a child process is replaced
    memory_limit_mb  memory above which a child process is replaced
    urls_normalised  whether two spellings of a URL are one target
    """

    name: str = ""
    rate: str | None = None
    total_rate: str | None = None
    burst: int = 1
    lane: Named = None
    partition: Named = None
    key: KeyFunction | None = None
    targets: TargetsFunction | None = None
    in_flight: int | None = 8
    retries: int = 3
    backoff: float | Backoff = 2.0
    timeout: float = 60.0
    delay: float | tuple[float, float] | None = None
    isolation: Isolation | None = None
    execution_mode: ExecutionMode = ExecutionMode.SINGLE
    strategy: Strategy | None = None
    tor: bool | str = False
    browser: bool = False
    proxies: bool | str | Path | Sequence[str] | Proxies | None = None
    robots: bool = True
    allow_private: bool = False
    session: SessionScope | None = None
    profile: str | None = None
    user_agent: str | None = None
    headers: HeaderFields | None = field(default=None, repr=False)
    store_pages: bool | None = None
    files_folder: Location = FILES_FOLDER
    version: str = ""
    params: type | None = None
    recycle_after: int = 100
    memory_limit_mb: int | None = None
    urls_normalised: bool = True

    def __post_init__(self) -> None:
        for name, check in CHECKS.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))
        if self.user_agent is not None and self.profile is not None:
            raise InputError(
                f"user_agent: the profile {self.profile!r} has its own User-Agent; "
                "set only one of the two"
            )
        if self.tor and self.proxies:
            raise InputError("tor and proxies: requests leave by one of them; set only one")

    @functools.cached_property
    def own_headers(self) -> OwnHeaders:
        return OwnHeaders(self.user_agent, self.headers)

    @property
    def way_out(self) -> WayOut:
        """Where its requests get their egress, unless they name one."""
        if self.tor:
            return WayOut.TOR
        return WayOut.POOL if self.proxies else WayOut.DIRECT

    @property
    def is_auto(self) -> bool:
        """Whether the pace of a lane is learned from the site."""
        return self.rate == AUTO

    def lane_limits(self, default_rate: str = DEFAULT_RATE) -> Limits:
        """What each lane of the scraper's targets is held to. A scraper that names no rate, and no
        lanes of its own, is held to the default one on hosts of the public web.
        """
        is_default = self.rate is None and self.lane is None and default_rate != NO_RATE
        rate = default_rate if is_default else self.rate
        if rate in (AUTO, NO_RATE):
            rate = None
        return Limits(_every_seconds(rate), self.burst, self.in_flight, is_default)

    def total_limits(self) -> Limits:
        """What all work of the scraper together is held to."""
        return Limits(_every_seconds(self.total_rate), self.burst)

    def budgets(self) -> Budgets:
        return Budgets(retries=self.retries)

    def backoff_policy(self) -> Backoff:
        return self.backoff if isinstance(self.backoff, Backoff) else Backoff(self.backoff)

    def delay_range(self) -> tuple[float, float] | None:
        """(at least, at most) seconds between two targets of a slot."""
        if self.delay is None or isinstance(self.delay, tuple):
            return self.delay
        return self.delay, self.delay


def _every_seconds(rate: str | None) -> float:
    return 0.0 if rate is None else parse_rate(rate)


def options_from(given: OptionFields) -> Options:
    """Options of a decorator; an unknown keyword is refused, with the closest known one."""
    known = [one.name for one in fields(Options)]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it takes {', '.join(known)}"
            raise InputError(f"@scraper has no option {name!r}{hint}")
    return Options(**given)  # type: ignore[arg-type]
