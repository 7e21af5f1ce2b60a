"""The proxy pool: what lists bring into it, and what people see and change."""

import pytest

from swather.errors import BadTarget, InputError, NotFound
from swather.model.proxy import Loaded, ProxyFault, ProxyFilter, ProxyState
from swather.model.proxy_list import ProxyLine
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_worker
from tests.store.pool import (
    a_proxy,
    broke,
    load,
    on_site,
    probe,
    proxies,
    report,
    row,
    seen,
    shown,
    worked,
)


def test_load_adds_updates_and_removes_what_a_list_says(store: Store):
    first = load(store, "10.0.0.1:1 tags=a", "10.0.0.2:2 weight=2", "10.0.0.3:3")
    assert first == Loaded(added=3)
    again = load(store, "10.0.0.1:1 tags=a", "10.0.0.2:2 weight=3", "10.0.0.4:4")
    assert again == Loaded(added=1, updated=1, removed=1, unchanged=1)
    assert shown(store) == ["http://10.0.0.1:1", "http://10.0.0.2:2", "http://10.0.0.4:4"]
    assert [proxy.weight for proxy in store.proxies.pool().proxies] == [1, 3, 1]
    assert load(store) == Loaded(removed=3)
    assert store.upkeep.check() == []


def test_a_list_that_does_not_replace_only_adds_and_updates(store: Store):
    proxies(store, 3)
    assert load(store, "10.0.0.1:3128 tags=a", "10.9.9.9:9", replace=False) == Loaded(
        added=1, updated=1
    )
    assert len(shown(store)) == 4


def test_a_list_again_is_seen_by_every_other_process(store: Store, other: Store):
    gone, stays = proxies(store, 2)
    worker = a_worker(store)
    store.proxies.checkout(worker, 2)
    before = other.proxies.pool()
    assert [proxy.id for proxy in before.proxies] == [gone, stays]
    load(store, "10.0.0.2:3128")
    assert other.proxies.version() > before.version
    assert [proxy.id for proxy in other.proxies.pool().proxies] == [stays]
    assert other.proxies.checkout(worker, 2) == [stays]
    assert not probe(other, gone)


def test_a_proxy_stays_until_no_list_has_it(store: Store):
    load(store, "10.0.0.1:1 tags=a,b country=de", "10.0.0.2:2", source="a.txt")
    load(store, "10.0.0.1:1 tags=c weight=4", source="b.txt")
    both = seen(store, 1)
    assert (both.tags, both.country, both.weight) == (("a", "b", "c"), "de", 4)
    assert shown(store, source="b.txt") == ["http://10.0.0.1:1"]
    assert load(store, "10.0.0.2:2", source="a.txt") == Loaded(unchanged=1)
    left = seen(store, 1)
    assert (left.tags, left.country, left.weight) == (("c",), "", 4)
    assert load(store, source="b.txt") == Loaded(removed=1)
    assert shown(store) == ["http://10.0.0.2:2"]


def test_the_latest_list_decides_on_country_and_weight(store: Store, clock: Clock):
    for source, traits in [("b", "country=de weight=2"), ("a", "country=us weight=3"), ("c", "")]:
        load(store, f"10.0.0.1:1 {traits}", source=source)
        clock.advance(10)
    assert (seen(store, 1).country, seen(store, 1).weight) == ("us", 3)
    load(store, "10.0.0.1:1 country=fr weight=5", source="b")
    assert (seen(store, 1).country, seen(store, 1).weight) == ("fr", 5)


def test_a_list_again_keeps_health_and_what_people_decided(store: Store):
    proxy, other = proxies(store, 2)
    report(store, worked(proxy), broke(proxy, times=3))
    store.proxies.disable([other])
    version = store.proxies.version()
    load(store, "10.0.0.1:3128", "10.0.0.2:3128")
    assert store.proxies.version() == version
    assert (row(store, proxy).uses, row(store, proxy).state) == (4, ProxyState.BLACKLISTED)
    assert row(store, other).state is ProxyState.DISABLED


def test_logins_to_one_proxy_are_proxies_of_their_own(store: Store):
    lines = ["10.0.0.1:1:me:one", "10.0.0.1:1:me:two", "http://me:one@10.0.0.1:1", "10.0.0.1:1"]
    assert load(store, *lines) == Loaded(added=3)


@pytest.mark.parametrize(
    ("which", "hosts"),
    [
        ({}, [1, 2, 3]),
        ({"tags": ["a"]}, [1, 2]),
        ({"tags": ["a", "b"]}, [2]),
        ({"tags": ["c"]}, []),
        ({"country": "DE"}, [2, 3]),
        ({"country": "de", "tags": ["a"]}, [2]),
        ({"source": "list.txt"}, [1, 2, 3]),
        ({"source": "other"}, []),
    ],
)
def test_pool_gives_the_enabled_proxies_that_are_asked_for(store: Store, which, hosts):
    load(
        store, "10.0.0.1:1 tags=a", "10.0.0.2:1 tags=a,b country=de", "10.0.0.3:1 country=de",
        "10.0.0.4:1 tags=a,b,c country=us",
    )  # fmt: skip
    store.proxies.disable([4])
    assert shown(store, **which) == [f"http://10.0.0.{host}:1" for host in hosts]
    found = store.proxies.find(ProxyFilter(**{**which, "tags": tuple(which.get("tags", ()))}))
    assert [each.id for each in found if each.state is not ProxyState.DISABLED] == hosts


def test_the_version_changes_with_the_pool_and_only_then(store: Store, clock: Clock):
    versions = [store.proxies.version()]

    def changes() -> bool:
        versions.append(store.proxies.version())
        assert versions[-1] == store.proxies.pool().version
        return versions[-1] > versions[-2]

    first, second = proxies(store, 2)
    assert changes()
    assert load(store, "10.0.0.1:3128", replace=False) == Loaded(unchanged=1)
    assert not changes()
    report(store, worked(first), broke(first, times=2), broke(first, ProxyFault.TIMEOUT, 2))
    assert not changes()
    for blacklists in (broke(first), broke(second, ProxyFault.BANNED, 3)):
        assert report(store, blacklists) == store.proxies.version()
        assert changes()
    clock.advance(601)
    assert probe(store, first)
    assert not changes()
    report(store, worked(first, is_probe=True))
    assert changes()
    for change in (store.proxies.disable, store.proxies.enable, store.proxies.remove):
        assert change([second, 999]) == 1
        assert changes()
        assert change([999, -1, 1 << 70]) == 0
        assert not changes()
    load(store, "10.0.0.1:3128 tags=a")
    assert changes()
    load(store)
    assert changes()


def test_find_shows_what_was_reported_and_no_password(store: Store):
    proxy = a_proxy(store, "10.0.0.1:3128:me:canary tags=a,b country=DE weight=2")
    report(store, worked(proxy), worked(proxy, "b.example"), broke(proxy, ProxyFault.TIMEOUT, 2))
    (found,) = store.proxies.find(ProxyFilter(tags=("b",), country="de", text="10.0.0.1"))
    assert (found.uses, found.successes, found.faults) == (4, 2, {ProxyFault.TIMEOUT: 2})
    assert (found.latency_seconds, found.last_error) == (0.5, "a timeout fault")
    assert (found.tags, found.weight, found.state) == (("a", "b"), 2.0, ProxyState.USABLE)
    detail = store.proxies.get(proxy)
    assert sum(site.uses for site in detail.sites) == found.uses == seen(store, proxy).uses
    assert "canary" not in repr(found) + repr(store.proxies.pool()) + repr(detail)
    assert store.proxies.find(ProxyFilter(text="canary")) == []


def test_find_tells_states_apart(store: Store, clock: Clock):
    out, due, off, ok = proxies(store, 4)
    report(store, broke(due, times=3), broke(ok, ProxyFault.BANNED, 3))
    clock.advance(601)
    report(store, broke(out, times=3))
    store.proxies.disable([off])
    states = {ProxyState.BLACKLISTED: out, ProxyState.PROBING: due, ProxyState.DISABLED: off}
    for state, proxy in {**states, ProxyState.USABLE: ok}.items():
        assert [each.id for each in store.proxies.find(ProxyFilter(state=state))] == [proxy]
    assert (row(store, ok).banned, on_site(store, ok).state) == (0, ProxyState.PROBING)
    assert len(store.proxies.find(limit=2)) == 2


@pytest.mark.parametrize(
    "name",
    ["2", 2, "10.0.0.2:1", "10.0.0.2", "http://10.0.0.2:1", "10.0.0.2:1:me:canary",
     "http://me:canary@10.0.0.2:1", "HTTP://***@10.0.0.2:1"],
)  # fmt: skip
def test_get_finds_a_proxy_by_its_id_or_address(store: Store, name):
    load(store, "10.0.0.1:1", "10.0.0.2:1:me:canary", "10.0.0.22:1")
    assert store.proxies.get(name).proxy.id == 2


@pytest.mark.parametrize(
    "name", [99, "99", "9" * 5_000, "10.9.9.9:1", "10.0.0.1:1:me:canary", "", "canary"]
)
def test_get_of_what_is_not_there_is_not_found_and_shows_no_password(store: Store, name):
    load(store, "10.0.0.1:1")
    with pytest.raises(NotFound, match="swather proxies ls") as raised:
        store.proxies.get(name)
    assert "canary" not in str(raised.value)


def test_get_asks_which_one_of_several(store: Store):
    load(store, "10.0.0.1:1:me:one", "10.0.0.1:1:me:two", "10.0.0.1:2")
    with pytest.raises(InputError, match="2 proxies have this address; name one by its id: 1, 2"):
        store.proxies.get("10.0.0.1:1")


def test_enable_takes_a_proxy_off_the_blacklist_on_all_sites(store: Store):
    proxy = a_proxy(store)
    report(store, broke(proxy, times=3), broke(proxy, ProxyFault.BANNED, 3, "b.example"))
    assert seen(store, proxy).retry_at
    assert seen(store, proxy).sites
    store.proxies.enable([proxy])
    assert (seen(store, proxy).retry_at, seen(store, proxy).sites) == (None, {})
    report(store, broke(proxy, ProxyFault.BANNED, 2, "b.example"), broke(proxy, times=2))
    assert seen(store, proxy).sites == {}
    assert (row(store, proxy).failures, seen(store, proxy).retry_at) == (2, None)


def test_a_removed_proxy_leaves_nothing_behind(store: Store):
    proxy, other = proxies(store, 2)
    report(store, worked(proxy), worked(other))
    assert store.proxies.remove([proxy, proxy]) == 1
    report(store, worked(proxy), broke(proxy, times=9))
    assert [each.id for each in store.proxies.find()] == [other]
    assert store.upkeep.check() == []
    load(store, "10.0.0.1:3128", replace=False)
    assert [(each.uses, each.state) for each in store.proxies.find()] == [
        (1, ProxyState.USABLE),
        (0, ProxyState.USABLE),
    ]


BAD_LOADS = [
    ("10.0.0.1:1", "", InputError, "name of its source"),
    ("10.0.0.1:1", "x" * 501, BadTarget, "at most 500 bytes"),
    ("ftp://10.0.0.1:1", "list", InputError, "must begin with one of"),
    ("http://10.0.0.1:1\udc80", "list", InputError, "UTF-8"),
]


@pytest.mark.parametrize(("url", "source", "error", "words"), BAD_LOADS)
def test_a_list_that_no_database_can_hold_is_refused(store: Store, url, source, error, words):
    with pytest.raises(error, match=words):
        store.proxies.load([ProxyLine(url=url)], source=source, replace=True)
    assert shown(store) == []
