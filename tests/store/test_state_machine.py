"""Every verb in any order, against a model that is small enough to be right."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from swather.store import Store
from swather.store.clock import Clock
from tests.store.machine import QueueMachine


def explore(store: Store, clock: Clock, examples: int, steps: int) -> None:
    run_state_machine_as_test(
        lambda: QueueMachine(store, clock),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_any_order_of_verbs_agrees_with_the_model(store: Store, clock: Clock):
    explore(store, clock, examples=12, steps=25)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_long_orders_of_verbs_agree_with_the_model(store: Store, clock: Clock):
    explore(store, clock, examples=30, steps=50)
