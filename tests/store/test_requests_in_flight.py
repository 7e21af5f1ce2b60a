"""Requests that a lease does not stand for: counted on the lane they go to, by their worker."""

import pytest

from swather.errors import InputError
from swather.model.pacing import Limits
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, finish

FOUR = Limits(in_flight=4)


@pytest.fixture
def worker(store: Store) -> int:
    return a_worker(store)


def granted(store: Store, worker: int, wanted: int, *, held: int = 0) -> int:
    """How many requests a task of another lane is granted on "site"."""
    elsewhere = a_run(store, 1, lane="elsewhere")
    (lease,) = claim(store, worker, runs=(elsewhere,))
    answer = store.queue.permits(lease.fence, "site", wanted, in_flight=held)
    assert answer.is_counted == (answer.granted > 0)
    assert answer.hold == ("" if answer.granted else "full")
    return answer.granted


def test_no_more_requests_are_granted_than_may_be_in_flight(store: Store, worker: int):
    store.lanes.limit("site", FOUR)
    assert granted(store, worker, 3) == 3
    assert granted(store, a_worker(store), 1) == 1
    assert granted(store, worker, 1, held=3) == 0
    assert store.lanes.get("site").in_flight == 4


def test_requests_and_leases_count_together(store: Store, worker: int):
    a_run(store, 9, lane="site", lane_limits=FOUR)
    assert len(claim(store, worker, 2)) == 2
    assert granted(store, worker, 2) == 2
    assert claim(store, worker, 2) == []


def test_a_request_that_has_ended_leaves_its_place(store: Store, worker: int):
    run = a_run(store, 9, lane="site", lane_limits=FOUR)
    assert len(claim(store, worker, 1, runs=(run,))) == 1
    assert granted(store, worker, 3) == 3
    assert claim(store, worker, 9, runs=(run,)) == []
    store.queue.set_in_flight(worker, "site", 1)
    assert len(claim(store, worker, 9, runs=(run,))) == 2


@pytest.mark.parametrize("dies", [True, False])
def test_the_requests_of_a_worker_end_with_it(store: Store, worker: int, dies: bool):
    run, other = a_run(store, 9, lane="site", lane_limits=FOUR), a_worker(store)
    assert len(claim(store, other, 1, runs=(run,))) == 1
    assert granted(store, worker, 3) == 3
    assert claim(store, other, 9, runs=(run,)) == []
    store.workers.sweep([worker]) if dies else store.workers.retire(worker)
    store.queue.set_in_flight(worker, "site", 3)
    assert len(claim(store, other, 9, runs=(run,))) == 3


def test_two_tasks_that_want_each_others_full_lane_do_not_wait_forever(store: Store, worker: int):
    leases = {}
    for lane in ("a", "b"):
        store.lanes.limit(lane, Limits(in_flight=1))
        a_run(store, 1, lane=lane)
    for lease in claim(store, worker, 2):
        leases[lease.lane] = lease
    first = store.queue.permits(leases["a"].fence, "b", in_flight=0, gives_up=True)
    assert (first.granted, first.hold) == (0, "full")
    assert store.queue.permits(leases["b"].fence, "a", in_flight=0, gives_up=True).granted == 1
    finish(store, completed(leases["b"]))
    assert store.queue.permits(leases["a"].fence, "b", in_flight=0, gives_up=True).granted == 1


def test_a_lane_without_a_limit_counts_nothing(store: Store, worker: int):
    a_run(store, 1, lane="elsewhere")
    (lease,) = claim(store, worker)
    answer = store.queue.permits(lease.fence, "site", 9, in_flight=0)
    assert (answer.granted, answer.is_free, answer.is_counted) == (9, True, False)
    assert store.lanes.get("site").in_flight == 0


def test_a_number_in_flight_below_zero_is_refused(store: Store, worker: int):
    with pytest.raises(InputError, match="-1"):
        store.queue.set_in_flight(worker, "site", -1)
