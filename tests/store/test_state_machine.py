"""Every verb in any order, against a model that is small enough to be right."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from swather.store import Store
from swather.store.clock import Clock
from tests.store.machine import QueueMachine
from tests.store.pool_machine import PoolMachine


def explore(
    machine: type[QueueMachine | PoolMachine], store: Store, clock: Clock, examples: int, steps: int
) -> None:
    run_state_machine_as_test(
        lambda: machine(store, clock),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
def test_any_order_of_verbs_agrees_with_the_model(store: Store, clock: Clock):
    explore(QueueMachine, store, clock, examples=12, steps=25)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_long_orders_of_verbs_agree_with_the_model(store: Store, clock: Clock):
    explore(QueueMachine, store, clock, examples=30, steps=50)


@pytest.mark.slow
def test_any_order_of_verbs_of_the_pool_agrees_with_the_model(store: Store, clock: Clock):
    explore(PoolMachine, store, clock, examples=20, steps=40)
