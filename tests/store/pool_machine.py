"""The proxy pool as a Hypothesis state machine: the store beside a model of it."""

from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from swather.model.proxy import BlacklistRule, ProxyFault, ProxyHealth, ProxyReport
from swather.model.proxy_health import (
    ON_SITE,
    WHOLE,
    after_report,
    forgiven,
    may_probe,
    probed,
    state_of,
)
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_worker
from tests.store.pool import load

# Time moves in fifties and limits lie between them, so the time that a test takes does not matter.
RULE = BlacklistRule(threshold=3, seconds=325)
PROBE_SECONDS = 125.0
LEASE_SECONDS = 100_000
STEPS = st.sampled_from([50, 150, 350])
HOSTS = [1, 2, 3]
SITES = st.sampled_from(["a", "b"])
picks = st.integers(0, 1_000)
kinds = st.sampled_from([None, None, *ProxyFault])

Pair = tuple[int, str]


class PoolMachine(RuleBasedStateMachine):
    """Health is predicted by the rules of the model; leases, probes and the version by what may
    never happen: two owners, two probes at once, a change that keeps the version.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        super().__init__()
        self.store = store
        self.clock = clock
        self.whole: dict[int, ProxyHealth] = {}
        self.on_site: dict[Pair, ProxyHealth] = {}
        self.hosts: dict[int, int] = {}
        self.disabled: set[int] = set()
        self.owners: dict[int, int] = {}
        # Probes that are not reported yet, and until when nobody else may probe what they decide.
        self.probes: list[Pair] = []
        self.until: dict[int | Pair, float] = {}
        self.workers: list[int] = []

    @initialize()
    def begin(self) -> None:
        load(self.store)  # of the example before
        for worker in self.store.workers.find():
            self.store.workers.retire(worker.id)
        self.workers = [a_worker(self.store, lease_seconds=LEASE_SECONDS) for _ in range(2)]
        self.seen = self.view()
        self.load({1, 2}, "x")

    @property
    def now(self) -> float:
        return self.store.proxies.pool().now

    def view(self) -> tuple[int, list[Any]]:
        """The version, and what workers would go by."""
        pool = self.store.proxies.pool()
        return pool.version, [
            (each.id, each.tags, each.retry_at, each.sites, each.worker_id) for each in pool.proxies
        ]

    def forget(self, proxy: int) -> None:
        self.hosts = {host: each for host, each in self.hosts.items() if each != proxy}
        self.whole.pop(proxy, None)
        self.disabled.discard(proxy)
        self.owners.pop(proxy, None)
        self.stop_probing(proxy)
        self.on_site = {pair: one for pair, one in self.on_site.items() if pair[0] != proxy}

    def stop_probing(self, proxy: int) -> None:
        self.probes = [pair for pair in self.probes if pair[0] != proxy]
        sites = {pair for pair in self.on_site if pair[0] == proxy}
        self.until = {scope: at for scope, at in self.until.items() if scope not in {proxy, *sites}}

    def pick(self, pick: int) -> int | None:
        return sorted(self.whole)[pick % len(self.whole)] if self.whole else None

    @rule(hosts=st.sets(st.sampled_from(HOSTS), min_size=1), tag=st.sampled_from(["x", "y"]))
    def load(self, hosts: set[int], tag: str) -> None:
        loaded = load(self.store, *(f"10.0.0.{host}:1 tags={tag}" for host in sorted(hosts)))
        gone = [host for host in self.hosts if host not in hosts]
        new = [host for host in hosts if host not in self.hosts]
        assert (loaded.added, loaded.removed) == (len(new), len(gone))
        assert loaded.updated + loaded.unchanged == len(hosts) - len(new)
        for host in gone:
            self.forget(self.hosts[host])
        for row in self.store.proxies.find():
            host = int(row.url.split(".")[-1].partition(":")[0])
            if host in new:
                self.hosts[host] = row.id
                self.whole[row.id] = ProxyHealth()

    @rule(
        results=st.lists(st.tuples(picks, SITES, kinds, st.integers(1, 3)), min_size=1, max_size=4),
        wait=st.sampled_from([None, None, 175.0]),
    )
    def report(self, results: list[tuple[int, str, ProxyFault | None, int]], wait: Any) -> None:
        reports = []
        for number, site, fault, times in results:
            proxy = self.pick(number)
            if proxy is None:
                return
            is_probe = (proxy, site) in self.probes
            if is_probe:
                self.probes.remove((proxy, site))
                self.until.pop(proxy, None)
                self.until.pop((proxy, site), None)
            faults = {} if fault is None else {fault: times}
            reports.append(
                ProxyReport(
                    proxy,
                    site,
                    successes=0 if fault else times,
                    faults=faults,
                    ended_well_last=fault is None,
                    retry_after_seconds=wait,
                    is_probe=is_probe,
                )
            )
        now = self.now
        assert self.store.proxies.report(reports, RULE) == self.store.proxies.version()
        for each in reports:
            number, pair = each.proxy_id, (each.proxy_id, each.site)
            self.whole[number] = after_report(self.whole[number], each, RULE, now, WHOLE)
            before = self.on_site.get(pair, ProxyHealth())
            self.on_site[pair] = after_report(before, each, RULE, now, ON_SITE)

    @rule(number=picks, site=SITES, fault=st.sampled_from(list(ProxyFault)))
    def blacklist_for_its_time(self, number: int, site: str, fault: ProxyFault) -> None:
        self.report([(number, site, fault, RULE.threshold)], None)
        self.wait(350)

    @rule(number=picks, first=SITES, second=SITES, worker=st.sampled_from([0, 1]))
    def probe_twice(self, number: int, first: str, second: str, worker: int) -> None:
        proxy = self.pick(number)
        if proxy is not None:
            self.probe(proxy, first, worker)
            self.probe(proxy, second, 1 - worker)

    def probe(self, proxy: int, site: str, worker: int) -> None:
        mine, now, pair = self.workers[worker], self.now, (proxy, site)
        whole, on_site = self.whole[proxy], self.on_site.get(pair, ProxyHealth())
        may = self.owners.get(proxy) in (None, mine) and may_probe(whole, on_site, now)
        assert may is self.store.proxies.probe(proxy, site, worker_id=mine, seconds=PROBE_SECONDS)
        if not may:
            return
        self.probes.append(pair)
        self.whole[proxy] = probed(whole, now, PROBE_SECONDS)
        if on_site.retry_at is not None:
            self.on_site[pair] = probed(on_site, now, PROBE_SECONDS)
        for scope in [scope for scope, one in ((proxy, whole), (pair, on_site)) if one.retry_at]:
            assert self.until.get(scope, 0.0) <= now  # nobody else probes it
            self.until[scope] = now + PROBE_SECONDS

    @rule(worker=st.sampled_from([0, 1]), wanted=st.integers(1, 3))
    def checkout(self, worker: int, wanted: int) -> None:
        mine = self.workers[worker]
        had = {proxy for proxy, owner in self.owners.items() if owner == mine}
        free = set(self.whole) - self.disabled - set(self.owners)
        got = set(self.store.proxies.checkout(mine, wanted))
        assert had <= got <= had | free
        assert len(got) == max(len(had), min(wanted, len(had) + len(free)))
        self.owners.update(dict.fromkeys(got, mine))

    @rule(worker=st.sampled_from([0, 1]), how=st.sampled_from(["give back", "retire", "die"]))
    def end(self, worker: int, how: str) -> None:
        mine = self.workers[worker]
        if how == "give back":
            self.store.proxies.give_back(mine)
        elif how == "retire":
            self.store.workers.retire(mine)
        else:
            self.store.workers.sweep(dead=[mine])
        if how != "give back":
            self.workers[worker] = a_worker(self.store, lease_seconds=LEASE_SECONDS)
        self.owners = {proxy: owner for proxy, owner in self.owners.items() if owner != mine}

    @rule(number=picks, how=st.sampled_from(["enable", "disable", "enable", "remove"]))
    def decide(self, number: int, how: str) -> None:
        proxy = self.pick(number)
        if proxy is None:
            return
        assert getattr(self.store.proxies, how)([proxy]) == 1
        if how == "remove":
            self.forget(proxy)
        elif how == "disable":
            self.disabled.add(proxy)
            self.owners.pop(proxy, None)
        else:
            self.disabled.discard(proxy)
            self.whole[proxy] = forgiven(self.whole[proxy])
            for pair in [pair for pair in self.on_site if pair[0] == proxy]:
                self.on_site[pair] = forgiven(self.on_site[pair])
            self.stop_probing(proxy)

    @rule(seconds=STEPS)
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @invariant()
    def the_store_agrees(self) -> None:
        now = self.now
        rows = {row.id: row for row in self.store.proxies.find()}
        assert rows.keys() == self.whole.keys()
        for proxy, health in self.whole.items():
            row = rows[proxy]
            assert row.state is state_of(health, now, enabled=proxy not in self.disabled)
            assert (row.failures, row.blacklistings) == (health.failures, health.blacklistings)
            assert (row.successes, row.faults) == (health.successes, health.faults)
            assert row.worker_id == self.owners.get(proxy)
            for site in self.store.proxies.get(proxy).sites:
                there = self.on_site[proxy, site.site]
                assert site.state is state_of(there, now)
                assert (site.failures, site.uses) == (there.failures, there.uses)
        version, view = self.view()
        assert version >= self.seen[0]
        assert version > self.seen[0] or view == self.seen[1]
        self.seen = version, view
