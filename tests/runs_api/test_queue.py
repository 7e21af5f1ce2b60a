"""swather.open: for people who bring their own worker loop."""

import threading
from contextlib import closing

import pytest

import swather
from swather import Permanent, Queue, Target, scraper
from swather.errors import DatabaseUnreachable, InputError, SchemaMissing
from swather.testing import FakeClock
from tests.postgres import PostgresServer


@pytest.fixture
def queue(url: str):
    with swather.open(url, name="mine") as opened:
        yield opened


@pytest.mark.slow
def test_claim_process_report(queue: Queue):
    assert queue.enqueue("shops", ["a", "b", "a"])[:2] == (2, 1)
    while leases := queue.claim(10, run="shops"):
        for lease in leases:
            assert queue.finish(lease, [{"shop": lease.target}])
    counts = queue.stats("shops")
    assert (counts.completed, counts.unfinished, counts.items) == (2, 0, 2)
    assert sorted(item["shop"] for item in queue.items("shops")) == ["a", "b"]


@pytest.mark.slow
def test_new_targets_close_the_breakers_of_their_scraper(queue: Queue, url: str):
    queue.enqueue("shops", [Target(value="a", lane="site")])
    with closing(swather.store.open(url)) as store:
        store.breakers.trip("shops", "site", seen={}, probe_seconds=600.0)
        store.breakers.trip("films", "site", seen={}, probe_seconds=600.0)
        queue.enqueue("shops", [Target(value="a", lane="site")])
        assert len(store.breakers.find()) == 2
        queue.enqueue("shops", [Target(value="b", lane="site")])
        assert [breaker.scraper for breaker in store.breakers.find()] == ["films"]
    assert len(queue.claim(10, run="shops")) == 2


@pytest.mark.slow
def test_a_run_with_nothing_left_is_finished(queue: Queue, url: str):
    queue.enqueue("shops", ["a"])
    [lease] = queue.claim(run="shops")
    queue.finish(lease)
    assert queue.claim(run="shops") == []
    store = swather.store.open(url)
    assert store.runs.get("shops").state == "finished"
    store.close()


@pytest.mark.slow
def test_targets_lead_to_further_ones(queue: Queue):
    queue.enqueue("shops", ["a"])
    [lease] = queue.claim(run="shops")
    queue.finish(lease, targets=["b", Target(value="c", priority=9)])
    assert sorted(lease.target for lease in queue.claim(5, run="shops")) == ["b", "c"]


@pytest.mark.slow
def test_an_error_is_retried_until_its_retries_are_spent(url: str):
    clock = FakeClock()
    with swather.open(url, clock=clock) as queue:
        queue.enqueue("shops", ["a"])
        for _ in range(3):
            [lease] = queue.claim(run="shops")
            queue.finish(lease, error=ValueError("odd"), retries=2)
            assert queue.claim(run="shops") == []
            clock.advance(600)
        counts = queue.stats("shops")
        assert (counts.failed, counts.retries) == (1, 2)


@pytest.mark.slow
def test_a_permanent_error_is_not_retried(queue: Queue):
    queue.enqueue("shops", ["a", "b"])
    first, second = queue.claim(2, run="shops")
    queue.finish(first, error=Permanent("closed", reason="closed"))
    queue.finish(second, error="not now")
    counts = queue.stats("shops")
    assert (counts.failed, counts.scheduled, counts.reasons) == (1, 1, {"closed": 1})


@pytest.mark.slow
def test_a_released_task_can_be_claimed_again(queue: Queue):
    queue.enqueue("shops", ["a"])
    [lease] = queue.claim(run="shops")
    assert queue.claim(run="shops") == []
    assert queue.release(lease)
    [again] = queue.claim(run="shops")
    assert (again.target, again.attempt) == ("a", 1)


@pytest.mark.slow
def test_what_is_held_is_given_back_when_the_queue_is_closed(queue: Queue, url: str):
    queue.enqueue("shops", ["a"])
    with swather.open(url) as other:
        assert len(other.claim(run="shops")) == 1
    assert queue.stats("shops").ready == 1


@pytest.mark.slow
def test_a_beat_keeps_leases_and_without_one_they_are_lost(url: str):
    clock = FakeClock()
    with swather.open(url, clock=clock, lease_seconds=60) as queue:
        queue.enqueue("shops", ["a"])
        [lease] = queue.claim(run="shops")
        clock.advance(50)
        assert queue.beat() == []
        clock.advance(50)
        with swather.open(url, clock=clock) as other:
            assert other.claim(run="shops") == []
            clock.advance(50)
            other._sweep_at = 0.0
            [taken] = other.claim(run="shops")
            assert queue.beat() == [lease]
            assert not queue.finish(lease, [{"from": "the first"}])
            assert other.finish(taken, [{"from": "the second"}])
        assert list(queue.items("shops")) == [{"from": "the second"}]


@pytest.mark.slow
def test_a_claim_waits_for_work(queue: Queue, url: str):
    queue.enqueue("shops", [])

    def add() -> None:
        with swather.open(url) as other:
            other.enqueue("shops", ["late"])

    adding = threading.Timer(0.1, add)
    adding.start()
    [lease] = queue.claim(wait_seconds=20)
    adding.join()
    assert lease.target == "late"


@pytest.mark.slow
def test_a_scraper_gives_its_targets_their_lanes(queue: Queue):
    @scraper(lane="shop.example")
    async def shops(ctx, target):
        """Never called here."""

    queue.enqueue("shops", ["a"], scraper=shops)
    [lease] = queue.claim(run="shops")
    assert lease.lane == "shop.example"


@pytest.mark.slow
def test_the_order_is_the_callers(queue: Queue):
    queue.enqueue("shops", ["a", "b"])
    [lease] = queue.claim(run="shops", strategy="lifo")
    assert lease.target == "b"


@pytest.mark.slow
def test_a_server_without_tables_is_told(postgres_server: PostgresServer):
    with (
        postgres_server.fresh_database() as address,
        pytest.raises(SchemaMissing, match="swather db init"),
    ):
        swather.open(address)


@pytest.mark.slow
def test_hosts_that_a_program_names_may_be_private(url: str):
    with swather.open(url) as queue:
        queue.enqueue("shops", ["http://127.0.0.1:8000/a", {"page": "http://10.0.0.7/b"}, "plain"])
        store = queue._store
        assert store.allowed_hosts.pin("shops", "127.0.0.1", 8000, "127.0.0.1") == "127.0.0.1"
        assert store.allowed_hosts.pin("shops", "10.0.0.7", 80, "10.0.0.7") == "10.0.0.7"
        store.runs.cancel("shops")
        store.runs.remove("shops")
        queue.enqueue("shops", ["http://127.0.0.1:8000/a"])
        assert store.allowed_hosts.pin("shops", "127.0.0.1", 8000, "127.0.0.1") == "127.0.0.1"


@pytest.mark.slow
def test_a_lease_is_held_until_its_result_is_stored(queue: Queue, monkeypatch):
    """Who cannot reach the database for a moment may finish it later."""
    queue.enqueue("shops", ["a"])
    [lease] = queue.claim(run="shops")
    finish = queue._store.queue.finish

    def broken(outcomes):
        raise DatabaseUnreachable("the server does not answer")

    monkeypatch.setattr(queue._store.queue, "finish", broken)
    with pytest.raises(DatabaseUnreachable):
        queue.finish(lease, [1])
    monkeypatch.setattr(queue._store.queue, "finish", finish)
    assert queue.beat() == []
    assert queue.finish(lease, [1])
    assert queue.stats("shops").completed == 1


@pytest.mark.slow
def test_a_result_that_cannot_be_stored_can_still_be_reported_as_an_error(queue: Queue):
    queue.enqueue("shops", ["a"])
    [lease] = queue.claim(run="shops")
    with pytest.raises(InputError) as raised:
        queue.finish(lease, [1], targets=["b" * 10_000_000])
    assert queue.beat() == []
    assert queue.finish(lease, error=Permanent(str(raised.value)[:50]))
    assert queue.stats("shops").failed == 1
