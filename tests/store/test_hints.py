import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from swather.store import Store
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, targets
from tests.store.processes import running


def test_a_hint_wakes_another_store(store: Store, other: Store):
    other.hints.wait(0)
    store.hints.send()
    assert other.hints.wait(10)


def test_without_a_hint_the_wait_ends_in_its_time(store: Store):
    assert not store.hints.wait(0.01)


def test_a_hint_counts_for_one_wait(store: Store, other: Store):
    other.hints.wait(0)
    store.hints.send()
    assert other.hints.wait(10)
    assert not other.hints.wait(0.1)


def test_all_who_wait_are_woken(store: Store):
    others = [store.another() for _ in range(4)]
    for waiting in others:
        waiting.hints.wait(0)
    ready = threading.Barrier(5)

    def wait(waiting: Store) -> bool:
        ready.wait(timeout=10)
        return waiting.hints.wait(10)

    with ThreadPoolExecutor(4) as threads:
        woken = [threads.submit(wait, waiting) for waiting in others]
        ready.wait(timeout=10)
        store.hints.send()
        assert all(one.result(timeout=20) for one in woken)
    for waiting in others:
        waiting.close()


@pytest.mark.slow
def test_a_hint_reaches_another_process(store: Store, database: Database):
    program = """
store.hints.wait(0)
print("waiting", flush=True)
print(store.hints.wait(20), flush=True)
"""
    with running(database.url, program) as waiting:
        assert waiting.line() == "waiting"
        store.hints.send()
        assert waiting.line() == "True"


def test_work_is_found_without_any_hint(store: Store, other: Store):
    run, worker = a_run(store), a_worker(other)
    store.tasks.enqueue(run, targets(1))
    assert len(claim(other, worker)) == 1
