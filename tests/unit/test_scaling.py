import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.fleet.autoscaler import Autoscaler
from swather.model.scaling import Demand, RunDemand, ScalingPolicy, total, useful, wanted

NOTHING = Demand()


def tasks(backlog: int, *, slots: int | None = None, partitions: int | None = None) -> Demand:
    return Demand(
        backlog=backlog,
        usable_slots=backlog if slots is None else slots,
        partitions=partitions,
    )


@pytest.mark.parametrize(
    ("demand", "number", "reason"),
    [
        (NOTHING, 0, "nothing waits"),
        (tasks(1), 1, "1 tasks at 1,000"),
        (tasks(1_000), 1, "1,000 tasks"),
        (tasks(1_001), 2, "1,001 tasks"),
        (tasks(50_000), 50, "50,000 tasks"),
        (tasks(50_000, slots=8), 1, "limits of lanes let 8 of 50,000"),
        (tasks(50_000, slots=81), 9, "limits of lanes let 81"),
        (tasks(50_000, slots=0), 0, "limits of lanes let 0"),
        (tasks(50_000, partitions=3), 3, "3 partitions have work"),
        (tasks(500, partitions=3), 1, "500 tasks"),
    ],
)
def test_the_least_of_backlog_lanes_and_partitions_decides(demand, number, reason):
    found = useful(demand, ScalingPolicy())
    assert found.number == number
    assert reason in found.reason


@pytest.mark.parametrize(
    ("demand", "policy", "given", "number", "reason"),
    [
        (NOTHING, {}, {"current": 0}, 1, "the minimum; nothing waits"),
        (NOTHING, {"minimum": 0}, {"current": 0}, 0, "nothing waits"),
        (tasks(99_000), {}, {"current": 1}, 10, "the maximum; 99 could work"),
        (tasks(99_000), {"maximum": 200}, {"current": 1}, 99, "99,000 tasks"),
        (tasks(99_000), {"tasks_per_worker": 33_000}, {"current": 1}, 3, "at 33,000"),
        # Up at once, down only when fewer have sufficed for long.
        (tasks(4_000), {}, {"current": 1, "recent": [1, 1]}, 4, "4,000 tasks"),
        (tasks(1_000), {}, {"current": 4, "recent": [4, 1]}, 4, "but not yet for 300 seconds"),
        (tasks(1_000), {}, {"current": 4, "recent": [2, 1]}, 2, "1 would do"),
        (tasks(1_000), {}, {"current": 4, "recent": [1, 1]}, 1, "1,000 tasks"),
        (NOTHING, {"minimum": 0}, {"current": 4, "recent": [9, 0]}, 4, "0 would do"),
        # The share of one worker stays free.
        (tasks(8_000), {}, {"current": 2, "free_mb": 800}, 5, "800 MB of memory are free"),
        (tasks(8_000), {}, {"current": 2, "free_mb": 8_000}, 8, "8,000 tasks"),
        (tasks(8_000), {}, {"current": 2, "free_mb": 399}, 2, "399 MB"),
        # A lack of memory does not wait for the cool-down, and never stops the last worker.
        (tasks(8_000), {}, {"current": 4, "free_mb": 50, "recent": [8]}, 3, "50 MB"),
        (tasks(8_000), {"minimum": 0}, {"current": 1, "free_mb": 0}, 1, "0 MB"),
        (tasks(8_000), {"minimum": 4}, {"current": 4, "free_mb": 0}, 4, "the minimum; 0 MB"),
    ],
)
def test_what_is_useful_is_held_within_what_the_fleet_may_have(
    demand, policy, given, number, reason
):
    found = wanted(demand, ScalingPolicy(**policy), **given)
    assert found.number == number
    assert reason in found.reason


@given(
    st.builds(Demand, backlog=st.integers(0, 10**9), usable_slots=st.integers(0, 10**9)),
    st.integers(0, 50),
    st.integers(0, 50),
    st.integers(0, 100),
    st.none() | st.integers(0, 100_000),
    st.lists(st.integers(0, 1_000)),
)
def test_it_never_leaves_its_bounds(demand, minimum, more, current, free_mb, recent):
    policy = ScalingPolicy(minimum=minimum, maximum=max(minimum + more, 1))
    found = wanted(demand, policy, current=current, free_mb=free_mb, recent=recent)
    assert policy.minimum <= found.number <= policy.maximum


@pytest.mark.parametrize(
    "fields", [{"minimum": -1}, {"minimum": 5, "maximum": 4}, {"maximum": 0, "minimum": 0},
               {"tasks_per_worker": 0}],
)  # fmt: skip
def test_bounds_that_make_no_sense_are_refused(fields):
    with pytest.raises(InputError, match="got"):
        ScalingPolicy(**fields)


def test_a_fleet_counts_only_what_it_serves():
    books = RunDemand(run="a", scraper="books", backlog=5, usable_slots=4, partitions=2)
    shops = RunDemand(run="b", scraper="shops", backlog=7, usable_slots=6)
    done = RunDemand(run="c", scraper="books", backlog=0, usable_slots=0)
    both = [books, shops, done]
    assert total(both) == Demand(backlog=12, usable_slots=10)
    only = Demand(backlog=5, usable_slots=4, partitions=2)
    assert total(both, scrapers=["books"]) == total(both, run="a") == only
    assert total([]) == total(both, run="c") == NOTHING


def test_the_autoscaler_shrinks_a_fleet_only_after_the_time_is_up():
    autoscaler, policy = Autoscaler(), ScalingPolicy(minimum=0)
    looks = [
        (0, tasks(100), 3),  # what ran when it began counts as useful
        (200, tasks(4_000), 4),
        (301, tasks(100), 4),
        (499, NOTHING, 4),
        (501, NOTHING, 1),
        (602, NOTHING, 0),
    ]
    current = 3
    for now, demand, number in looks:
        current = autoscaler.look(demand, policy, current=current, now=float(now)).number
        assert current == number, now
