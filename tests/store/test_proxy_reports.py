"""Reports of proxies: counted once, judged by the rules, one probe for the whole fleet."""

from collections import Counter
from random import Random

import pytest

from swather.errors import BadTarget, InputError
from swather.model.proxy import ProxyFault, ProxyReport, ProxyState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_worker
from tests.store.plans import recorded
from tests.store.pool import (
    RULE,
    SITE,
    a_proxy,
    broke,
    on_site,
    probe,
    proxies,
    report,
    row,
    seen,
    worked,
)
from tests.store.threads import together


@pytest.mark.parametrize("fault", ProxyFault)
def test_failures_in_a_row_blacklist_the_proxy_or_its_site(store: Store, fault: ProxyFault):
    proxy = a_proxy(store)
    report(store, broke(proxy, fault, 2), worked(proxy), broke(proxy, fault, 2))
    assert (seen(store, proxy).retry_at, seen(store, proxy).sites) == (None, {})
    report(store, broke(proxy, fault), broke(proxy, fault, 1, "b.example"))
    pool = store.proxies.pool()
    (found,) = pool.proxies
    is_whole = fault is ProxyFault.PROXY
    until = found.retry_at if is_whole else found.sites[SITE]
    assert until == pytest.approx(pool.now + RULE.seconds, abs=30)
    assert (found.retry_at is None, found.sites == {}) == (not is_whole, is_whole)


def test_a_ban_for_a_time_that_the_site_names_is_on_that_site(store: Store):
    proxy = a_proxy(store)
    report(store, broke(proxy, ProxyFault.BANNED, retry_after_seconds=120))
    pool = store.proxies.pool()
    (found,) = pool.proxies
    assert found.retry_at is None
    assert found.sites == {SITE: pytest.approx(pool.now + 120, abs=30)}
    assert (row(store, proxy).banned, on_site(store, proxy).blacklistings) == (1, 1)


def test_after_its_time_one_probe_decides(store: Store, clock: Clock):
    proxy = a_proxy(store)
    report(store, broke(proxy, times=3))
    assert not probe(store, proxy)
    for again in range(1, 3):
        clock.advance(601)
        assert row(store, proxy).state is ProxyState.PROBING
        assert probe(store, proxy)
        assert not probe(store, proxy, "b.example", worker=2)
        report(store, broke(proxy, is_probe=True))
        assert row(store, proxy).state is ProxyState.BLACKLISTED
        assert row(store, proxy).blacklistings == again + 1
        assert not probe(store, proxy)
    clock.advance(601)
    assert probe(store, proxy)
    report(store, worked(proxy, is_probe=True))
    assert (row(store, proxy).state, row(store, proxy).failures) == (ProxyState.USABLE, 0)
    assert not probe(store, proxy)  # there is nothing to decide


def test_a_probe_whose_worker_is_silent_goes_to_another(store: Store, clock: Clock):
    proxy = a_proxy(store)
    report(store, broke(proxy, ProxyFault.BANNED, 3))
    clock.advance(601)
    assert probe(store, proxy)
    assert not probe(store, proxy)
    assert not probe(store, proxy, "b.example")
    clock.advance(31)
    assert probe(store, proxy, worker=2)
    assert not probe(store, proxy)


def test_a_probe_decides_on_the_proxy_and_on_the_site(store: Store, clock: Clock):
    proxy = a_proxy(store)
    report(store, broke(proxy, times=3), broke(proxy, ProxyFault.TIMEOUT, 3))
    clock.advance(601)
    assert probe(store, proxy)
    report(store, broke(proxy, ProxyFault.BANNED, is_probe=True))
    assert row(store, proxy).state is ProxyState.USABLE
    assert on_site(store, proxy).state is ProxyState.BLACKLISTED


def test_a_proxy_that_one_site_bans_is_probed_on_another(store: Store, clock: Clock):
    proxy = a_proxy(store)
    report(store, broke(proxy, times=3))
    clock.advance(400)
    report(store, broke(proxy, ProxyFault.BANNED, retry_after_seconds=3_600))
    clock.advance(201)
    assert not probe(store, proxy)
    assert probe(store, proxy, "b.example")


def test_one_worker_of_many_gets_the_probe(store: Store, clock: Clock):
    first, *others = proxies(store, 4)
    report(store, *(broke(proxy, times=3) for proxy in (first, *others)))
    clock.advance(601)

    def work(mine: Store, worker: int) -> list[int]:
        return [
            proxy
            for proxy in (first, *others)
            if mine.proxies.probe(proxy, SITE, worker_id=worker, seconds=30)
        ]

    assert Counter(together(store, work)) == Counter([first, *others])


@pytest.mark.slow
def test_reports_of_many_workers_at_once_add_up(store: Store):
    ids = proxies(store, 12)
    sites = [f"{name}.example" for name in "abcde"]

    def work(mine: Store, worker: int) -> list[ProxyReport]:
        random = Random(worker)
        made: list[ProxyReport] = []
        for _ in range(12):
            pairs = random.sample([(proxy, site) for proxy in ids for site in sites], 25)
            reports = [
                ProxyReport(
                    proxy,
                    site,
                    successes=random.randrange(3),
                    faults={random.choice(list(ProxyFault)): random.randrange(3)},
                    seconds=random.random(),
                    ended_well_last=random.random() < 0.5,
                )
                for proxy, site in pairs
            ]
            mine.proxies.report(reports, RULE)
            made += reports
        return made

    truth: Counter[tuple[int, str, str]] = Counter()
    for each in together(store, work):
        truth[each.proxy_id, each.site, "successes"] += each.successes
        for fault, times in each.faults.items():
            truth[each.proxy_id, each.site, fault] += times
    found: Counter[tuple[int, str, str]] = Counter()
    for proxy in ids:
        detail = store.proxies.get(proxy)
        for site in detail.sites:
            found[proxy, site.site, "successes"] += site.successes
            found.update({(proxy, site.site, fault): n for fault, n in site.faults.items()})
        assert detail.proxy.uses == sum(site.uses for site in detail.sites)
    assert +found == +truth
    assert store.upkeep.check() == []


def deadlocks(database: Database) -> int:
    """So far. SQLite has one writer at a time."""
    if database.one_writer:
        return 0
    sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    return database.rows(sql)[0][0]


@pytest.mark.slow
def test_reporters_loaders_and_removers_do_not_lock_each_other_out(
    store: Store, database: Database
):
    before = deadlocks(database)
    ids = proxies(store, 30)

    def work(mine: Store, worker: int) -> list[str]:
        random = Random(worker)
        for turn in range(8):
            some = random.sample(ids, 20)
            if worker % 4 == 1:
                mine.proxies.checkout(worker, 4)
                mine.proxies.give_back(worker)
            elif worker % 4 == 2:
                random.choice([mine.proxies.enable, mine.proxies.disable, mine.proxies.remove])(
                    some[:3]
                )
            elif worker % 4 == 3:
                proxies(mine, 20 + turn)
            mine.proxies.report([broke(each, times=2, site=f"{turn}") for each in some], RULE)
        return ["done"]

    assert together(store, work) == ["done"] * 8
    assert deadlocks(database) == before
    assert store.upkeep.check() == []


@pytest.mark.slow
def test_what_is_known_of_sites_is_never_walked(
    own_store: Store, own_database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    store = own_store
    ids = proxies(store, 100)
    for site in range(60):
        report(store, *(worked(proxy, f"{site}.example") for proxy in ids))
    report(store, *(broke(proxy, times=3) for proxy in ids[:10]))
    clock.advance(601)
    own_database.execute("ANALYZE")
    verbs = {
        "report": lambda: report(store, *(worked(proxy) for proxy in ids)),
        "probe": lambda: probe(store, ids[0]),
        "pool": store.proxies.pool,
        "get": lambda: store.proxies.get(ids[0]),
        "disable": lambda: store.proxies.disable(ids[:5]),
        "remove": lambda: store.proxies.remove(ids[:5]),
    }
    for name, verb in verbs.items():
        with recorded(store, {"proxy_sites"}, monkeypatch) as found:
            assert verb(), name
        assert (name, sorted(found.walks)) == (name, [])


def test_what_a_site_or_proxy_said_is_clipped_and_has_no_password(store: Store):
    proxy = a_proxy(store)
    error = "http://me:canary@10.0.0.1:3128 said \0\udc80" + "x" * 1_000
    report(store, ProxyReport(proxy, SITE, faults={ProxyFault.PROXY: 1}, error=error))
    found = row(store, proxy).last_error
    assert len(found) <= 200
    assert "canary" not in found
    assert on_site(store, proxy).last_error == found


BAD_REPORTS = [
    (ProxyReport(1, "x" * 501), BadTarget),
    (ProxyReport(1, "a\0b"), BadTarget),
    (ProxyReport(1, SITE, successes=-1), InputError),
    (ProxyReport(1, SITE, successes=10**12), InputError),
    (ProxyReport(1, SITE, faults={ProxyFault.PROXY: -1}), InputError),
    (ProxyReport(1, SITE, seconds=float("nan")), InputError),
    (ProxyReport(1, SITE, retry_after_seconds=float("nan")), InputError),
]


@pytest.mark.parametrize(("wrong", "error"), BAD_REPORTS)
def test_a_report_that_makes_no_sense_is_refused_with_all_of_its_batch(store: Store, wrong, error):
    proxy = a_proxy(store)
    with pytest.raises(error):
        report(store, worked(proxy), wrong)
    assert row(store, proxy).uses == 0


def test_reports_of_nothing_and_of_unknown_proxies_change_nothing(store: Store):
    version = store.proxies.version()
    assert report(store) == version
    assert report(store, broke(99, times=9)) == version
    assert not probe(store, 99)
    with pytest.raises(InputError, match="more than 0 seconds"):
        store.proxies.probe(1, SITE, worker_id=a_worker(store), seconds=0)


def test_sites_that_were_not_used_for_long_are_forgotten(
    store: Store, clock: Clock, database: Database, monkeypatch: pytest.MonkeyPatch
):
    proxy, other = proxies(store, 2)
    monkeypatch.setattr(f"swather.store.{database.kind}.proxy_reports.MAX_SITES", 3)
    report(store, *(worked(proxy, f"old{n}.example") for n in range(2)), worked(other))
    clock.advance(31 * 86_400)
    report(store, *(worked(proxy, f"new{n}.example") for n in range(3)))
    assert store.proxies.forget_sites() == 3
    clock.advance(10)
    report(store, worked(proxy, "newest.example"))
    assert store.upkeep.prune()["proxy sites"] == 1
    assert len(store.proxies.get(proxy).sites) == 3
    assert store.proxies.get(other).sites == []
    assert (store.proxies.forget_sites(), row(store, proxy).uses, row(store, other).uses) == (
        0, 6, 1,
    )  # fmt: skip


def test_sites_of_several_proxies_are_read_together(store: Store):
    first, second, third = proxies(store, 3)
    report(store, worked(first), broke(second, ProxyFault.BANNED, 1, "b.example"), worked(second))
    found = store.proxies.sites([second, first, third, 999])
    assert {number: [each.site for each in sites] for number, sites in found.items()} == {
        first: [SITE],
        second: ["b.example", SITE],
        third: [],
        999: [],
    }
    assert found[first] == store.proxies.get(first).sites
