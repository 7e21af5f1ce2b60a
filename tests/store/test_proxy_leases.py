"""Leases of proxies: a worker has some for itself, until it ends, however it ends."""

from collections import Counter

import pytest

from swather.errors import InputError, NotFound
from swather.model.proxy import ProxyFault
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_worker
from tests.store.pool import broke, load, probe, proxies, report, seen, worked
from tests.store.processes import running
from tests.store.threads import together

CHECK_OUT_TWO = """
worker = a_worker(store, name="victim")
print(worker, len(store.proxies.checkout(worker, 2)), flush=True)
time.sleep(60)
"""


def owners(store: Store) -> dict[int, int]:
    """By proxy."""
    found = store.proxies.pool().proxies
    return {proxy.id: proxy.worker_id for proxy in found if proxy.worker_id is not None}


def test_checkout_gives_each_worker_proxies_of_its_own(store: Store):
    proxies(store, 20)

    def work(mine: Store, worker: int) -> list[tuple[int, int]]:
        return [(proxy, worker) for proxy in mine.proxies.checkout(worker, 3)]

    taken = together(store, work)
    assert sorted(Counter(worker for _, worker in taken).values()) == [2, 3, 3, 3, 3, 3, 3]
    assert len({proxy for proxy, _ in taken}) == len(taken) == 20
    assert owners(store) == dict(taken)
    assert {row.id: row.worker_id for row in store.proxies.find()} == dict(taken)


def test_checkout_again_gives_the_same_and_what_is_missing(store: Store):
    first, second, third = proxies(store, 3)
    worker = a_worker(store)
    assert store.proxies.checkout(worker, 2) == [first, second]
    version = store.proxies.version()
    assert store.proxies.checkout(worker, 2) == [first, second]
    assert store.proxies.version() == version
    store.proxies.disable([second])
    assert store.proxies.checkout(worker, 2) == [first, third]
    store.proxies.enable([second])
    assert store.proxies.checkout(worker, 9) == [first, second, third]
    store.proxies.give_back(worker)
    assert owners(store) == {}
    assert store.proxies.version() > version


def test_checkout_prefers_the_usable_and_the_least_used(store: Store):
    first, second, third, fourth = proxies(store, 4)
    report(store, broke(first, times=3), worked(second, times=9), worked(third, times=5))
    worker = a_worker(store)
    assert store.proxies.checkout(worker, 1) == [fourth]
    assert store.proxies.checkout(worker, 2) == [third, fourth]
    assert store.proxies.checkout(worker, 4) == [first, second, third, fourth]


def test_checkout_takes_only_what_matches_and_is_enabled(store: Store):
    load(store, "10.0.0.1:1 tags=a", "10.0.0.2:1 tags=a country=de", "10.0.0.3:1 tags=a")
    store.proxies.disable([3])
    worker = a_worker(store)
    assert store.proxies.checkout(worker, 3, tags=["a"], country="de") == [2]
    assert store.proxies.checkout(worker, 3, tags=["a"]) == [1, 2]
    assert store.proxies.checkout(worker, 3, source="other") == []


def test_a_proxy_of_another_worker_is_not_probed(store: Store, clock: Clock):
    (proxy,) = proxies(store, 1)
    mine, other = a_worker(store), a_worker(store)
    store.proxies.checkout(mine, 1)
    report(store, broke(proxy, ProxyFault.BANNED, 3))
    clock.advance(601)
    assert not probe(store, proxy, worker=other)
    assert probe(store, proxy, worker=mine)


def test_the_proxies_of_a_worker_that_retires_are_free(store: Store):
    proxies(store, 3)
    worker, other = a_worker(store), a_worker(store)
    store.proxies.checkout(worker, 2)
    store.proxies.checkout(other, 1)
    version = store.proxies.version()
    store.workers.retire(worker)
    assert set(owners(store).values()) == {other}
    assert store.proxies.version() > version


@pytest.mark.slow
def test_the_proxies_of_a_killed_process_are_free_with_the_next_sweep(
    store: Store, database: Database
):
    proxies(store, 3)
    with running(database.url, CHECK_OUT_TWO) as victim:
        assert victim.line().split()[1] == "2"
        store.workers.sweep()
        assert len(owners(store)) == 2
        victim.kill()
        version = store.proxies.version()
        store.workers.sweep()
    assert owners(store) == {}
    assert store.proxies.version() > version


def test_the_proxies_of_a_silent_worker_are_free_after_its_lease(store: Store, clock: Clock):
    proxies(store, 3)
    silent, other = a_worker(store, lease_seconds=60), a_worker(store, lease_seconds=6_000)
    store.proxies.checkout(silent, 2)
    clock.advance(61)
    store.workers.sweep()
    assert owners(store) == {}
    assert store.proxies.checkout(other, 3) == [1, 2, 3]
    with pytest.raises(NotFound, match="no worker"):
        store.proxies.checkout(silent, 1)


def test_the_proxies_of_a_worker_without_a_row_are_free_with_the_next_sweep(
    store: Store, database: Database
):
    proxies(store, 3)
    worker = a_worker(store)
    store.proxies.checkout(worker, 2)
    database.execute("DELETE FROM workers")
    store.workers.sweep()
    assert owners(store) == {}


def test_a_removed_proxy_is_nobodys(store: Store):
    proxies(store, 2)
    worker = a_worker(store)
    store.proxies.checkout(worker, 2)
    load(store, "10.0.0.1:3128")
    assert owners(store) == {1: worker}
    assert seen(store, 1).worker_id == worker
    assert store.upkeep.check() == []


def test_nobody_checks_out_less_than_one_proxy(store: Store):
    with pytest.raises(InputError, match="1 proxy or more"):
        store.proxies.checkout(a_worker(store), 0)
