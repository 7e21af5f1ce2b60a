from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.model.lease import Strategy, draw, priorities_in, quotas

priority_sets = st.sets(st.integers(1, 10), min_size=1).map(sorted)


def seeded(seed: int = 7) -> Random:
    return Random(seed)


@given(priority_sets, st.integers(0, 200), st.randoms(use_true_random=False))
def test_what_is_drawn_adds_up_to_what_was_asked_for(
    priorities: list[int], count: int, random: Random
) -> None:
    drawn = draw(priorities, count, random)
    assert sum(drawn.values()) == count
    assert set(drawn) == set(priorities)


@pytest.mark.parametrize("priorities", [[1, 10], [5, 5 + 1], list(range(1, 11))])
def test_priorities_are_drawn_in_proportion_to_them(priorities: list[int]) -> None:
    count = 20_000
    drawn = draw(priorities, count, seeded())
    for priority in priorities:
        expected = count * priority / sum(priorities)
        assert drawn[priority] == pytest.approx(expected, rel=0.1)


def test_the_lowest_priority_is_drawn_too() -> None:
    assert draw([1, 10], 1000, seeded())[1] > 0


@given(
    st.sampled_from([Strategy.FIFO, Strategy.LIFO, Strategy.PRIORITY]),
    priority_sets,
    st.integers(1, 100),
)
def test_orders_without_chance_may_take_all_of_each_priority_highest_first(
    strategy: Strategy, priorities: list[int], count: int
) -> None:
    looked_at = quotas(strategy, priorities, count, seeded())
    assert looked_at == [(priority, count) for priority in sorted(priorities, reverse=True)]


@given(priority_sets, st.integers(1, 100), st.randoms(use_true_random=False))
def test_weighted_quotas_are_what_was_drawn_highest_first(
    priorities: list[int], count: int, random: Random
) -> None:
    taken = quotas(Strategy.WEIGHTED_RANDOM, priorities, count, random)
    assert sum(quota for _, quota in taken) == count
    assert all(quota > 0 for _, quota in taken)
    looked_at = [priority for priority, _ in taken]
    assert looked_at == sorted(looked_at, reverse=True)
    assert set(looked_at) <= set(priorities)


@given(st.permutations([2, 5, 9]), st.integers(0, 1000))
def test_the_same_seed_draws_the_same(priorities: list[int], seed: int) -> None:
    first = quotas(Strategy.WEIGHTED_RANDOM, priorities, 10, seeded(seed))
    assert first == quotas(Strategy.WEIGHTED_RANDOM, sorted(priorities), 10, seeded(seed))


@given(st.sampled_from(Strategy), st.integers(1, 10))
def test_a_run_without_tasks_has_nothing_to_look_at(strategy: Strategy, count: int) -> None:
    assert quotas(strategy, [], count, seeded()) == []


@given(st.sets(st.integers(1, 10)))
def test_a_mask_holds_the_priorities_whose_bits_are_set(priorities: set[int]) -> None:
    mask = sum(1 << priority for priority in priorities)
    assert priorities_in(mask) == sorted(priorities)
