"""The result of `demo --proxies`: what the pool counted beside the logs of the proxies."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from swather.cli import database, output
from swather.cli.demo_run import print_ending
from swather.model.proxy import ProxyDetail, ProxyFault, ProxyFilter, ProxyState
from swather.model.run import RunState
from swather.runs.json_names import named
from swather.runs.summary import Summary, summarise
from swather.runs.words import count, duration

if TYPE_CHECKING:
    from swather.store.ports import Store
    from swather.testing.proxies import LocalProxies, LocalProxy
    from swather.testing.shop import Shop

# A name that only the proxies know: a request that went out directly would not find it.
HOST: Final = "shop.example"
SOURCE: Final = "swather demo"


@dataclass(frozen=True, kw_only=True)
class Report:
    """Counts of both sides.

    `passed`, `banned`: by the logs of the proxies; `succeeded`, `faults`: by the pool. `cut`:
    requests that were under way when their proxy died: it passed them on, and no answer came back.
    `requests`: what the shop was asked; `direct`: those that no proxy knows of. `blocked_by_shop`:
    times that the shop itself asked somebody to come back later.
    """

    summary: Summary
    seconds: float
    results: str
    expected: int
    items: int
    doubled: int
    missing: int
    requests: int
    passed: int
    banned: int
    blocked_by_shop: int
    succeeded: int
    faults: dict[str, int]
    blacklistings: int
    proxies: list[dict[str, Any]]

    @property
    def direct(self) -> int:
        return self.requests - self.passed

    @property
    def cut(self) -> int:
        return self.passed - self.succeeded - self.blocked_by_shop

    @property
    def adds_up(self) -> bool:
        return not list(self.objections())

    def objections(self) -> Iterator[str]:
        """What does not add up, in words."""
        counts = self.summary.counts
        if self.summary.state is not RunState.FINISHED or counts.unfinished:
            yield f"{counts.unfinished:,} pages are unfinished"
        if self.doubled or self.missing:
            yield f"of the books, {self.missing} are missing and {self.doubled} came twice"
        if self.direct:
            yield f"the shop got {self.requests:,} requests, and the proxies passed {self.passed:,}"
        counted = self.faults.get(ProxyFault.BANNED, 0)
        if counted != self.banned + self.blocked_by_shop:
            yield f"{self.banned + self.blocked_by_shop:,} bans happened, {counted:,} were counted"
        others = sum(self.faults.values()) - counted
        if not 0 <= self.cut <= others:
            yield f"{self.passed:,} requests were passed on, {self.succeeded:,} counted as answered"
        if not self.blacklistings:
            yield "no proxy was blacklisted"

    def as_dict(self) -> dict[str, Any]:
        data = named(self)
        summary = data.pop("summary")
        url = summary.pop("url")
        return {
            "database": database.shown(url),
            **summary,
            **data,
            "direct": self.direct,
            "adds_up": self.adds_up,
        }

    def print(self) -> None:
        url = self.summary.url
        print()
        headers = ("proxy", "its own log", "banned", "pool: ok", "failed", "blacklisted", "state")
        rows = [
            (
                each["name"],
                each["passed"],
                each["banned"],
                each["succeeded"],
                each["failed"],
                each["blacklistings"],
                each["state"],
            )
            for each in self.proxies
        ]
        output.show(output.listing(headers, rows), output.facts(self._facts()))
        print_ending(
            list(self.objections()),
            "Nothing was lost, or went directly.",
            self.results,
            url,
            next_=("proxies", f"status {self.summary.run}"),
        )

    def _facts(self) -> Iterator[tuple[str, str]]:
        counts = self.summary.counts
        yield (
            "pages",
            f"{counts.total:,} = {counts.completed:,} completed + {counts.failed:,} failed",
        )
        yield "items", f"{self.items:,}; {self.expected:,} books have a page"
        yield "requests", f"{self.requests:,} reached the shop, {self.direct:,} of them directly"
        bans = f"{self.banned:,} by the proxies' logs + {self.blocked_by_shop:,} by the shop"
        yield "bans", f"{self.faults.get(ProxyFault.BANNED, 0):,} counted = {bans}"
        others = {name: n for name, n in self.faults.items() if name != ProxyFault.BANNED and n}
        told = ", ".join(f"{name} {number:,}" for name, number in others.items())
        yield "other failures", told or "none"
        away = sum(each["state"] != ProxyState.USABLE for each in self.proxies)
        back = f"{away} not back yet" if away else "all back since, after a probe"
        yield "blacklisted", f"{count(self.blacklistings, 'time')}, {back}"
        yield "retried", f"{counts.retries:,}"
        yield "time", duration(self.seconds)


def report_on(
    store: "Store",
    run: str,
    site: "Shop",
    proxies: "LocalProxies",
    results: Path,
    seconds: float,
) -> Report:
    """Compare what the pool has counted with the logs of the proxies and of the shop."""
    found = [msgspec.json.decode(line)["url"] for line in results.read_bytes().splitlines()]
    expected = {f"http://{HOST}{book.path}" for book in site.books if book.path not in site.missing}
    rows = store.proxies.find(ProxyFilter(source=SOURCE))
    details = [store.proxies.get(row.id) for row in rows]
    each = [_beside(proxy, details) for proxy in proxies]
    return Report(
        summary=summarise(store, run),
        seconds=seconds,
        results=str(results),
        expected=len(expected),
        items=len(found),
        doubled=len(found) - len(set(found)),
        missing=len(expected - set(found)),
        requests=site.requests.total(),
        passed=sum(one["passed"] for one in each),
        banned=sum(one["banned"] for one in each),
        blocked_by_shop=len([path for path in site.busy if site.requests[path]]),
        succeeded=sum(row.successes for row in rows),
        faults={str(fault): sum(row.faults.get(fault, 0) for row in rows) for fault in ProxyFault},
        blacklistings=sum(one["blacklistings"] for one in each),
        proxies=each,
    )


def _beside(proxy: "LocalProxy", details: list[ProxyDetail]) -> dict[str, Any]:
    """A proxy's own log, and what the pool knows about it."""
    place = proxy.url.rpartition("@")[2]
    detail = next(each for each in details if each.proxy.url.endswith(f"@{place}"))
    row = detail.proxy
    verdicts = [passed.verdict for passed in proxy.log]
    return {
        "name": proxy.name,
        "passed": verdicts.count("passed"),
        "banned": verdicts.count("banned"),
        "succeeded": row.successes,
        "failed": sum(row.faults.values()),
        "blacklistings": row.blacklistings + sum(site.blacklistings for site in detail.sites),
        "state": str(_state(detail)),
    }


def _state(detail: ProxyDetail) -> ProxyState:
    """That on the shop, which may have banned a proxy that works."""
    if detail.proxy.state is not ProxyState.USABLE:
        return detail.proxy.state
    return next((site.state for site in detail.sites if site.site == HOST), ProxyState.USABLE)
