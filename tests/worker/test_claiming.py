"""How many leases a worker asks for."""

import pytest

from swather.model.lease import Claimed
from swather.worker.claiming import ClaimClock, wanted
from swather.worker.slots import suspects_held

FREE = {
    "concurrency": 10, "free": 10, "ahead": 0, "waiting": 0, "parked": 0, "suspects": 0,
    "at_most": 1_000,
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "count"),
    [
        # free slots, and what waits for them
        ({}, 10),
        ({"free": 3}, 3),
        ({"free": 0}, 0),
        ({"free": -2}, 0),
        ({"waiting": 4}, 6),
        ({"waiting": 10}, 0),
        ({"waiting": 12}, 0),
        # ahead of the slots: only when it is worth a claim, unless a slot is free
        ({"ahead": 64}, 74),
        ({"ahead": 64, "waiting": 70}, 4),
        ({"free": 0, "ahead": 64}, 64),
        ({"free": 0, "ahead": 64, "waiting": 32}, 32),
        ({"free": 0, "ahead": 64, "waiting": 33}, 0),
        ({"free": -2, "ahead": 64}, 64),
        ({"free": 1, "ahead": 64, "waiting": 60}, 5),
        # one claim takes so many
        ({"ahead": 2_000}, 1_000),
        ({"at_most": 2}, 2),
        # the free slots are for leases whose run is being read
        ({"parked": 1}, 0),
        ({"parked": 1, "ahead": 64}, 0),
        # nothing runs and there was a hint
        ({"is_first": True}, 1),
        ({"is_first": True, "waiting": 10}, 0),
        ({"is_first": True, "free": 0, "ahead": 64}, 0),
        # suspects leave slots free, and more may come with every claim
        ({"free": 5, "suspects": 1}, 5),
        ({"free": 5, "ahead": 64, "suspects": 1}, 19),
        ({"free": 5, "suspects": 18}, 2),
        ({"free": 5, "suspects": 20}, 0),
        ({"free": 5, "ahead": 64, "suspects": 20}, 0),
        ({"free": 5, "suspects": 1_000}, 0),
        ({"free": 5, "waiting": 4, "suspects": 1}, 1),
        ({"free": 0, "ahead": 64, "suspects": 1}, 0),
        ({"concurrency": 1, "free": 0, "suspects": 1}, 0),
    ],
)
def test_how_many_leases_to_ask_for(given, count):
    assert wanted(**{**FREE, **given}) == count


@pytest.mark.parametrize("concurrency", [1, 2, 4, 100])
def test_suspects_that_keep_coming_are_bounded(concurrency):
    """Every lease turns out to be one, and none ever ends."""
    suspects = 0
    while count := wanted(
        **{**FREE, "concurrency": concurrency, "free": concurrency, "suspects": suspects}
    ):
        suspects += count
    assert suspects == suspects_held(concurrency)


def claimed(count: int, retry_after_seconds: float | None = None) -> Claimed:
    return Claimed(leases=[None] * count, retry_after_seconds=retry_after_seconds)


def test_a_claim_that_was_filled_is_followed_by_another_at_once():
    clock = ClaimClock(poll_seconds=1.0)
    assert clock.claimed(claimed(10), wanted=10, now=100.0)
    assert clock.claim_at <= 100.0


def test_after_a_claim_that_was_not_filled_a_poll_is_waited_for():
    clock = ClaimClock(poll_seconds=1.0)
    assert not clock.claimed(claimed(3), wanted=10, now=100.0)
    assert clock.claim_at == 101.0


def test_what_is_due_sooner_is_claimed_sooner():
    clock = ClaimClock(poll_seconds=1.0)
    clock.claimed(claimed(0, retry_after_seconds=0.2), wanted=10, now=100.0)
    assert clock.claim_at == pytest.approx(100.2)


def test_polls_that_find_nothing_take_longer_and_longer_up_to_a_bound():
    clock, waits = ClaimClock(poll_seconds=1.0), []
    for _ in range(8):
        clock.claimed(claimed(0), wanted=10, now=100.0)
        waits.append(clock.claim_at - 100.0)
    assert waits == [1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0]
    clock.claimed(claimed(1), wanted=10, now=100.0)
    assert clock.claim_at == 101.0


def test_a_hint_makes_a_claim_due_also_when_it_comes_during_one():
    clock = ClaimClock(poll_seconds=1.0)
    clock.claimed(claimed(0), wanted=10, now=100.0)
    clock.hint()
    assert clock.claim_at <= 100.0
    clock.claiming()
    clock.hint()
    assert clock.claimed(claimed(0), wanted=10, now=100.0)
    clock.claiming()
    assert not clock.claimed(claimed(0), wanted=10, now=100.0)


def test_a_moment_that_is_past_is_waited_for_by_polling():
    clock = ClaimClock(poll_seconds=2.0)
    assert clock.wake_at(100.0) == 102.0
    clock.failed(100.0)
    assert clock.wake_at(100.0) == 101.0
