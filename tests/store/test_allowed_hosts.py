import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from swather.errors import InputError, NotFound
from swather.store import Store
from tests.store.database import Database
from tests.store.given import a_run

SHOP = ("shop.example", 8000)


def test_a_host_that_nobody_typed_is_not_pinned(store: Store):
    run = a_run(store)
    assert store.allowed_hosts.pin(run, *SHOP, "10.0.0.1") is None
    store.allowed_hosts.add(run, [("shop.example", 80), ("other.example", 8000)])
    assert store.allowed_hosts.pin(run, *SHOP, "10.0.0.1") is None


def test_the_first_address_stays(store: Store, other: Store):
    run = a_run(store)
    store.allowed_hosts.add(run, [SHOP])
    assert store.allowed_hosts.pin(run, *SHOP, "93.184.216.34") == "93.184.216.34"
    assert other.allowed_hosts.pin(run, *SHOP, "10.0.0.1") == "93.184.216.34"


def test_a_host_that_is_typed_again_stays_as_it_is(store: Store):
    run = a_run(store)
    store.allowed_hosts.add(run, [SHOP, SHOP])
    store.allowed_hosts.pin(run, *SHOP, "93.184.216.34")
    store.allowed_hosts.add(run, [SHOP, ("::1", 80)])
    assert store.allowed_hosts.pin(run, *SHOP, "10.0.0.1") == "93.184.216.34"
    assert store.allowed_hosts.pin(run, "::1", 80, "::1") == "::1"


def test_many_are_pinned_at_once(store: Store):
    run = a_run(store)
    store.allowed_hosts.add(run, [SHOP, ("second.example", 80)])
    store.allowed_hosts.pin(run, *SHOP, "93.184.216.34")
    store.allowed_hosts.pin_all(
        run,
        [(*SHOP, "10.0.0.1"), ("second.example", 80, "93.184.216.35"), ("none.example", 80, "::1")],
    )
    assert store.allowed_hosts.pin(run, *SHOP, "10.0.0.2") == "93.184.216.34"
    assert store.allowed_hosts.pin(run, "second.example", 80, "10.0.0.2") == "93.184.216.35"
    assert store.allowed_hosts.pin(run, "none.example", 80, "10.0.0.2") is None


def test_every_run_has_its_own(store: Store):
    first, second = a_run(store), a_run(store)
    store.allowed_hosts.add(first, [SHOP])
    assert store.allowed_hosts.pin(second, *SHOP, "10.0.0.1") is None


def test_of_many_who_pin_at_once_one_is_the_first(store: Store):
    run = a_run(store)
    store.allowed_hosts.add(run, [SHOP])
    start = threading.Barrier(6)

    def pin(number: int) -> str | None:
        mine = store.another()
        try:
            start.wait(timeout=20)
            return mine.allowed_hosts.pin(run, *SHOP, f"10.0.0.{number}")
        finally:
            mine.close()

    with ThreadPoolExecutor(6) as threads:
        seen = set(threads.map(pin, range(1, 7), timeout=50))
    assert len(seen) == 1
    assert seen == {store.allowed_hosts.pin(run, *SHOP, "10.0.0.99")}


def test_two_who_type_hosts_at_once_lose_none(store: Store):
    run = a_run(store)
    hosts = [(f"h{number}.example", 80) for number in range(60)]
    start = threading.Barrier(2)

    def type_in(mine: list[tuple[str, int]]) -> None:
        own = store.another()
        start.wait(timeout=20)
        for at in range(0, len(mine), 4):
            own.allowed_hosts.add(run, mine[at : at + 4])
        own.close()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(type_in, [hosts[:40], hosts[:19:-1]], timeout=50))
    for host in hosts:
        assert store.allowed_hosts.pin(run, *host, "10.0.0.1") == "10.0.0.1"


def test_they_go_with_their_run(store: Store, database: Database):
    run = a_run(store)
    store.allowed_hosts.add(run, [SHOP])
    store.runs.cancel(run)
    store.runs.remove(run)
    assert database.rows("SELECT host FROM allowed_hosts") == []


def test_what_is_no_host_or_no_run_is_refused(store: Store):
    run = a_run(store)
    for host in [("", 80), ("a.example", 0), ("a.example", 65_536), ("a\0b", 80), ("a" * 501, 80)]:
        with pytest.raises(InputError):
            store.allowed_hosts.add(run, [host])
        with pytest.raises(InputError):
            store.allowed_hosts.pin(run, *host, "10.0.0.1")
    with pytest.raises(NotFound):
        store.allowed_hosts.add("nowhere", [SHOP])
    with pytest.raises(NotFound):
        store.allowed_hosts.pin("nowhere", *SHOP, "10.0.0.1")
