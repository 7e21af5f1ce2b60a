"""Fifty real proxies, of which some ban us and some are dead, and eight workers."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest

from swather.model.proxy_list import parse_proxies
from swather.model.task import Target
from swather.testing.proxies import VIA, LocalProxies, LocalProxy
from swather.testing.site import FakeSite
from tests.process.given import Yard
from tests.worker.given import wait_until

HOST = "shop.example"
# Uses of the good proxies, 30 of each, before one can say that they are used evenly.
ENOUGH = 35 * 30
WORKERS = 8
BLACKLISTED_SECONDS = 3.0
# Within so long, every worker knows what one has seen.
KNOWN_SECONDS = 2.0
PRELUDE = "from swather.net.egress_policy import PoolPolicy\n"


class Code(str):
    """An expression for the worker's program."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


POLICY = Code(
    f"PoolPolicy(threshold=3, blacklist_seconds={BLACKLISTED_SECONDS}, probe_seconds=10.0)"
)


def fill(yard: Yard, urls: list[str]) -> None:
    lines, _ = parse_proxies(urls)
    yard.store.proxies.load(lines, source="file", replace=True)


@contextmanager
def fed(yard: Yard, run: str) -> Iterator[None]:
    """There are always targets to scrape."""
    is_over, store = threading.Event(), yard.store.another()
    numbers = count()

    def feed() -> None:
        while not is_over.wait(0.05):
            if store.runs.counts(run).ready < 300:
                batch = [next(numbers) for _ in range(300)]
                store.tasks.enqueue(
                    run, [Target(value={"n": n, "url": f"http://{HOST}/{n}"}) for n in batch]
                )

    feeding = threading.Thread(target=feed)
    feeding.start()
    try:
        yield
    finally:
        is_over.set()
        feeding.join()
        store.close()


def used_since(proxy: LocalProxy, at: float) -> int:
    return sum(one.at > at for one in proxy.log)


def total(proxies: list[LocalProxy]) -> int:
    return sum(len(proxy.log) for proxy in proxies)


class AnyPage(dict):
    """Routes of a site that has every page, and notes who comes for one directly."""

    def __init__(self) -> None:
        super().__init__()
        self.direct: list[str] = []

    def get(self, path, default=None):
        return self._page

    def _page(self, asked):
        if VIA not in asked.headers:
            self.direct.append(asked.path)
        return "<h1>here</h1>"


class Fleet:
    """Eight workers and fifty proxies: five that the site bans, five that refuse us, five that are
    dead, and the good ones.
    """

    def __init__(self, yard: Yard, proxies: LocalProxies) -> None:
        self.yard = yard
        self.bad = proxies[:10]
        self.dead = proxies[10:15]
        self.good = proxies[15:]
        self._ids = {proxy.name: number for number, proxy in enumerate(proxies, 1)}
        for proxy in self.bad[:5]:
            proxy.ban(HOST, status=429)
        for proxy in self.bad[5:]:
            proxy.ban(status=407)
        fill(yard, proxies.urls)
        for proxy in self.dead:
            proxy.die()
        self.run = yard.run("through_the_pool", [])
        options = {"forever": True, "concurrency": 4, "prelude": PRELUDE, "pool": POLICY}
        for _ in range(WORKERS):
            yard.start(self.run, "through_the_pool", **options)

    def mend(self) -> None:
        for proxy in self.bad:
            proxy.unban(HOST)
            proxy.unban()
        for proxy in self.dead:
            proxy.revive()

    def blacklistings(self, proxy: LocalProxy) -> int:
        """How often it was blacklisted, for all sites or for one."""
        found = self.yard.store.proxies.get(self._ids[proxy.name])
        return found.proxy.blacklistings + sum(one.blacklistings for one in found.sites)

    def wait_for_blacklistings(self, proxies: list[LocalProxy], times: int) -> None:
        wait_until(lambda: all(self.blacklistings(one) >= times for one in proxies), 60)


@pytest.mark.timeout(120)
def test_a_fleet_leaves_bad_proxies_alone_tries_them_again_and_uses_good_ones_evenly(
    either_yard: Yard,
):
    site = FakeSite({})
    site.routes = pages = AnyPage()
    with site, LocalProxies(50, hosts={HOST: site.url}) as proxies:
        fleet = Fleet(either_yard, proxies)
        with fed(either_yard, fleet.run):
            fleet.wait_for_blacklistings([*fleet.bad, *fleet.dead], 1)
            known_at = time.monotonic() + KNOWN_SECONDS
            fleet.wait_for_blacklistings(fleet.bad, 2)
            wait_until(lambda: sum(used_since(one, known_at) for one in fleet.good) > ENOUGH, 60)
            tried_at = time.monotonic()
            # One request for each time that one is tried again, by the whole fleet.
            tries = [used_since(proxy, known_at) for proxy in fleet.bad]
            again = [fleet.blacklistings(proxy) - 1 for proxy in fleet.bad]
            assert all(used <= most for used, most in zip(tries, again, strict=True))
            evenly = [used_since(proxy, known_at) for proxy in fleet.good]

            fleet.mend()
            mended = [*fleet.bad, *fleet.dead]
            wait_until(lambda: min(used_since(one, tried_at) for one in mended) > 10, 60)
            assert {row.state for row in either_yard.store.proxies.find()} == {"usable"}

            fill(either_yard, proxies.urls[10:])
            gone_at, so_far = time.monotonic() + KNOWN_SECONDS, total(fleet.good)
            wait_until(lambda: time.monotonic() > gone_at and total(fleet.good) > so_far + 300, 60)
            assert [used_since(proxy, gone_at) for proxy in fleet.bad] == [0] * 10
        wait_until(lambda: not either_yard.store.runs.counts(fleet.run).unfinished, 60)
    assert either_yard.counts(fleet.run).keys() == {"completed"}
    assert not pages.direct
    mean = sum(evenly) / len(evenly)
    assert all(abs(uses - mean) <= 0.2 * mean for uses in evenly), evenly


def test_what_a_killed_worker_had_for_itself_goes_to_others(either_yard: Yard):
    yard = either_yard
    with FakeSite({"/": "here"}) as site, LocalProxies(3, hosts={HOST: site.url}) as proxies:
        fill(yard, proxies.urls)
        run = yard.run("with_proxies_of_its_own", [{"url": f"http://{HOST}/"}] * 20)
        scraper = "with_proxies_of_its_own"
        first = yard.start(run, scraper, forever=True, lease_seconds=600.0)
        wait_until(lambda: yard.counts(run) == {"completed": 20})
        owners = {row.worker_id for row in yard.store.proxies.find()}
        assert len(owners) == 2
        first.kill()
        second = yard.start(run, scraper, forever=True, lease_seconds=600.0)
        used = total(list(proxies))
        yard.store.tasks.enqueue(
            run, [Target(value={"n": n, "url": f"http://{HOST}/"}) for n in range(100, 120)]
        )
        wait_until(lambda: yard.counts(run) == {"completed": 40})
        assert total(list(proxies)) == used + 20
        wait_until(lambda: _leased(yard) == 2 and not _owners(yard) & owners)
        second.kill()


def _owners(yard: Yard) -> set[int]:
    found = {row.worker_id for row in yard.store.proxies.find()}
    return {owner for owner in found if owner is not None}


def _leased(yard: Yard) -> int:
    return sum(row.worker_id is not None for row in yard.store.proxies.find())
