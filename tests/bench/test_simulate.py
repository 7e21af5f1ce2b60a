from dataclasses import replace

import pytest

from bench.costs import Costs, fit
from bench.simulate import Database, Fleet, simulate

COSTS = Costs(
    turn=0.001,
    task=0.0001,
    look=0.0001,
    beat=0.0005,
    enqueue=0.0001,
    commit=0.001,
    bytes_per_ready_task=400.0,
    bytes_per_finished_task=500.0,
    bytes_per_lane=800.0,
)


def test_a_line_is_found_again():
    turn, task = fit([(batch, 0.001 + 0.00003 * batch) for batch in (1, 10, 100)])
    assert (turn, task) == (pytest.approx(0.001), pytest.approx(0.00003))


def test_one_worker_does_nearly_what_its_slots_can():
    fleet = Fleet(workers=1)
    found = simulate(fleet, Database(), COSTS)
    assert found.ideal(fleet) > 0.95
    assert found.batch < 2
    # 50 turns, two looks and half a beat a second, on two cores.
    turns = 50 / found.batch * (COSTS.turn + COSTS.task * found.batch)
    assert found.busy == pytest.approx((turns + 0.0002 + 0.00025) / 2, rel=0.15)


@pytest.mark.slow
def test_a_database_that_is_busy_gives_what_its_cores_can_and_no_more():
    fleet = Fleet(workers=500)
    few, many = (simulate(fleet, Database(cores=cores), COSTS, seconds=3.0) for cores in (2, 16))
    # Looks and beats of 500 workers take 0.1 + 0.125 cores; no batch is larger than the slots.
    most = (2 - 0.225) / (COSTS.turn / 10 + COSTS.task)
    assert few.pages_per_second < most
    assert few.busy > 0.95
    assert few.batch > 3 * many.batch
    assert many.pages_per_second > 1.5 * few.pages_per_second


def test_workers_that_share_the_cores_of_the_database_leave_it_less():
    alone, shared = (
        simulate(
            Fleet(workers=40, page_cpu_seconds=0.001, cores_per_worker=cores),
            Database(),
            COSTS,
            seconds=3.0,
        )
        for cores in (1, 0)
    )
    assert shared.pages_per_second < 0.8 * alone.pages_per_second


@pytest.mark.slow
def test_beats_of_very_many_workers_leave_the_database_to_their_work():
    # At a beat every two seconds, their beats alone would need 5 cores.
    fleet = Fleet(workers=10_000, slots=1, page_seconds=10.0)
    found = simulate(fleet, Database(), replace(COSTS, beat=0.001, look=0.00001), seconds=5.0)
    assert found.ideal(fleet) > 0.6
