"""What tests of the proxy pool begin with, in a word each: proxies, reports, and how they fare."""

from typing import Any

from swather.model.proxy import (
    BlacklistRule,
    Loaded,
    Proxy,
    ProxyFault,
    ProxyReport,
    ProxyRow,
    ProxySite,
)
from swather.model.proxy_list import parse_proxies
from swather.store import Store

RULE = BlacklistRule(threshold=3, seconds=600)
SITE = "example.com"


def load(store: Store, *lines: str, source: str = "list.txt", replace: bool = True) -> Loaded:
    good, bad = parse_proxies(lines)
    assert bad == []
    return store.proxies.load(good, source=source, replace=replace)


def proxies(store: Store, count: int) -> list[int]:
    """The ids of so many proxies, alone in the pool."""
    load(store, *(f"10.0.{n // 250}.{n % 250 + 1}:3128" for n in range(count)))
    return [proxy.id for proxy in store.proxies.pool().proxies]


def a_proxy(store: Store, line: str = "10.0.0.1:3128") -> int:
    load(store, line, replace=False)
    return max(proxy.id for proxy in store.proxies.pool().proxies)


def worked(proxy: int, site: str = SITE, times: int = 1, **fields: Any) -> ProxyReport:
    return ProxyReport(
        proxy, site, successes=times, seconds=0.5 * times, ended_well_last=True, **fields
    )


def broke(
    proxy: int, fault: ProxyFault = ProxyFault.PROXY, times: int = 1, site: str = SITE, **fields
) -> ProxyReport:
    return ProxyReport(proxy, site, faults={fault: times}, error=f"a {fault} fault", **fields)


def report(store: Store, *reports: ProxyReport) -> int:
    return store.proxies.report(reports, RULE)


def seen(store: Store, proxy: int) -> Proxy:
    """As workers see it."""
    (found,) = [each for each in store.proxies.pool().proxies if each.id == proxy]
    return found


def row(store: Store, proxy: int) -> ProxyRow:
    return store.proxies.get(proxy).proxy


def on_site(store: Store, proxy: int, site: str = SITE) -> ProxySite:
    (found,) = [each for each in store.proxies.get(proxy).sites if each.site == site]
    return found


def shown(store: Store, **which: Any) -> list[str]:
    return [str(proxy) for proxy in store.proxies.pool(**which).proxies]


def probe(store: Store, proxy: int, site: str = SITE, worker: int = 1) -> bool:
    return store.proxies.probe(proxy, site, worker_id=worker, seconds=30)
