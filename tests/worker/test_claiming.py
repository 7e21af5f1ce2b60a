"""How many leases a worker asks for."""

import pytest

from swather.worker.claiming import suspects_held, wanted

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
