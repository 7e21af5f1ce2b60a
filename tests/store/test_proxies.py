"""The proxy pool: lists come in, reports are counted, and who fails too often is left alone."""

import pytest

from swather.errors import InputError
from swather.model.proxy import (
    BlacklistRule,
    Loaded,
    ProxyFault,
    ProxyFilter,
    ProxyReport,
    ProxyRow,
    ProxyState,
)
from swather.model.proxy_list import parse_proxies
from swather.store import Store
from swather.store.clock import Clock

RULE = BlacklistRule(threshold=3, seconds=60)


def load(store: Store, *lines: str, source: str = "list.txt", replace: bool = True) -> Loaded:
    good, bad = parse_proxies(lines)
    assert bad == []
    return store.proxies.load(good, source=source, replace=replace)


def a_proxy(store: Store, line: str = "10.0.0.1:3128") -> int:
    load(store, line, replace=False)
    return max(proxy.id for proxy in store.proxies.pool().proxies)


def good(proxy: int, site: str = "example.com", **fields) -> ProxyReport:
    return ProxyReport(proxy, site, successes=1, seconds=0.5, ended_well_last=True, **fields)


def bad(
    proxy: int, fault: ProxyFault = ProxyFault.PROXY, times: int = 1, site: str = "example.com",
    **fields,
) -> ProxyReport:  # fmt: skip
    return ProxyReport(proxy, site, faults={fault: times}, error=f"a {fault} fault", **fields)


def report(store: Store, *reports: ProxyReport) -> int:
    return store.proxies.report(reports, RULE)


def row(store: Store, proxy: int) -> ProxyRow:
    (found,) = [each for each in store.proxies.find() if each.id == proxy]
    return found


def urls(store: Store, **which) -> list[str]:
    return [str(proxy) for proxy in store.proxies.pool(**which).proxies]


def test_load_adds_updates_and_removes_what_a_list_says(store: Store):
    first = load(store, "10.0.0.1:1 tags=a", "10.0.0.2:2 weight=2", "10.0.0.3:3")
    assert first == Loaded(added=3)
    again = load(store, "10.0.0.1:1 tags=a", "10.0.0.2:2 weight=3", "10.0.0.4:4")
    assert again == Loaded(added=1, updated=1, removed=1, unchanged=1)
    assert urls(store) == ["http://10.0.0.1:1", "http://10.0.0.2:2", "http://10.0.0.4:4"]
    assert [proxy.weight for proxy in store.proxies.pool().proxies] == [1, 3, 1]


def test_the_version_changes_with_the_pool_and_only_then(store: Store):
    before = store.proxies.version()
    proxy = a_proxy(store)
    loaded = store.proxies.version()
    assert loaded > before
    assert load(store, "10.0.0.1:3128", replace=False) == Loaded(unchanged=1)
    assert report(store, good(proxy)) == loaded == store.proxies.pool().version
    assert report(store, bad(proxy, times=3)) == store.proxies.version() > loaded


def test_find_shows_what_was_reported_and_no_password(store: Store):
    proxy = a_proxy(store, "10.0.0.1:3128:me:canary tags=a,b country=DE weight=2")
    report(store, good(proxy), good(proxy, "b.example"), bad(proxy, ProxyFault.TIMEOUT, 2))
    (found,) = store.proxies.find(ProxyFilter(tags=("b",), country="de", text="10.0.0.1"))
    assert (found.uses, found.successes, found.faults) == (4, 2, {ProxyFault.TIMEOUT: 2})
    assert (found.latency_seconds, found.last_error) == (0.5, "a timeout fault")
    assert (found.tags, found.weight, found.state) == (("a", "b"), 2.0, ProxyState.USABLE)
    assert "canary" not in repr(found) + repr(store.proxies.pool())


@pytest.mark.parametrize("fault", ProxyFault)
def test_failures_in_a_row_blacklist_the_proxy_or_its_site(
    store: Store, clock: Clock, fault: ProxyFault
):
    proxy = a_proxy(store)
    report(store, bad(proxy, fault, 2), good(proxy), bad(proxy, fault, 2))
    (usable,) = store.proxies.pool().proxies
    assert (usable.retry_at, usable.sites) == (None, {})
    report(store, bad(proxy, fault))
    pool = store.proxies.pool()
    (found,) = pool.proxies
    until = found.retry_at if fault is ProxyFault.PROXY else found.sites["example.com"]
    assert until == pytest.approx(pool.now + RULE.seconds, abs=30)
    assert (found.retry_at is None) == (fault is not ProxyFault.PROXY)


def test_a_list_needs_a_source(store: Store):
    with pytest.raises(InputError, match="name of its source"):
        load(store, "10.0.0.1:1", source="")
