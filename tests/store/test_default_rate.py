"""A default rate holds on hosts of the public web, and nowhere else."""

import pytest

from swather.model.pacing import Limits
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, targets

DEFAULT = Limits(1_000.0, 1, None, public_only=True)


@pytest.mark.parametrize(
    ("lane", "taken"),
    [
        ("example.com", 1), ("example.com:8080", 1), ("93.184.216.34", 1), ("[2606:4700::1]:81", 1),
        ("127.0.0.1:8080", 5), ("localhost:8080", 5), ("[::1]:81", 5), ("10.1.2.3", 5),
        ("printer.local", 5), ("videos", 5), ("cities of Spain", 5), ("", 5),
    ],
)  # fmt: skip
def test_only_public_hosts_are_held_to_a_default_rate(store: Store, lane: str, taken: int):
    a_run(store, 5, lane=lane, lane_limits=DEFAULT)
    assert len(claim(store, a_worker(store), 10)) == taken


def test_a_default_rate_is_that_of_permits_too(store: Store):
    a_run(store, 1, lane="127.0.0.1", lane_limits=DEFAULT)
    (lease,) = claim(store, a_worker(store))
    assert store.queue.permits(lease.fence, "example.com", 5).granted == 1
    assert store.queue.permits(lease.fence, "localhost", 5).granted == 5


def test_a_run_remembers_that_its_rate_is_the_default(store: Store):
    run = a_run(store, lane_limits=DEFAULT)
    assert store.runs.get(run).lane_limits == DEFAULT
    named = Limits(0.1)
    assert store.runs.revise(run, version="", lane_limits=named).lane_limits == named


def test_a_lane_tells_the_pace_in_force_and_whose_it_is(store: Store):
    run = a_run(store, 5, lane="example.com", lane_limits=DEFAULT)
    store.tasks.enqueue(run, targets(["x"], lane="localhost"))
    claim(store, a_worker(store))
    public, private = store.lanes.get("example.com"), store.lanes.get("localhost")
    assert (public.in_force.every_seconds, public.slowest_run) == (1_000.0, run)
    assert (private.in_force.every_seconds, private.slowest_run) == (0.0, "")
    assert run in {lane.slowest_run for lane in store.lanes.find()}
