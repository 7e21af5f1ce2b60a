"""Pages of tasks: in both directions, by every filter, bounded in how much they look at."""

from collections.abc import Iterator
from typing import Any

import pytest

from swather.model.retry import ErrorClass
from swather.model.task import State, Target, Task
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
    targets,
)

LARGE = 20_100  # from 20,000 on, pages of a state walk over the table of all runs


def pages(store: Store, which: TaskFilter, *, newest_first: bool = False, **how: Any) -> list[int]:
    """The ids on all pages of a search, one after the other."""
    return [task_id for page in _walk(store, which, newest_first, how) for task_id in page]


def _walk(
    store: Store, which: TaskFilter, newest_first: bool, how: dict[str, Any]
) -> Iterator[list[int]]:
    place: dict[str, int] = {}
    for _ in range(10_000):
        found = store.tasks.search(which, newest_first=newest_first, **place, **how)
        yield [task.id for task in found.tasks]
        if found.is_all:
            return
        assert found.next_id is not None
        place = {"before_id" if newest_first else "after_id": found.next_id}
    raise AssertionError("the search has no end")


def some_of_all(store: Store) -> str:
    """A run with tasks in every state on two lanes, beside others."""
    a_run(store, 5, lane="site")
    run, worker = a_run(store), a_worker(store, name="anna")
    store.tasks.enqueue(run, targets(8, lane="site"))
    leases = claim(store, worker, 6, runs=(run,))
    finish(
        store,
        completed(leases[0]),
        completed(leases[1]),
        failed(leases[2], "gone", a_fault("404", ErrorClass.PERMANENT)),
        failed(leases[3], "timeout", a_fault("slow", ErrorClass.TIMEOUT)),
        retried(leases[4], 60, a_fault("again", ErrorClass.BLOCKED)),
    )
    store.tasks.cancel(TaskFilter(run=run, task_ids=(leases[5].task_id,)))
    store.tasks.enqueue(run, targets(["x", "y"], lane="other"))
    claim(store, a_worker(store, name="berta"), 1, runs=(run,))
    store.tasks.enqueue(run, targets(["z"], lane="other", due_in_seconds=600))
    a_run(store, 5, lane="site")
    return run


FILTERS: list[dict[str, Any]] = [
    {},
    *({"states": frozenset({state})} for state in State),
    {"states": frozenset({State.FAILED, State.CANCELLED})},
    {"states": frozenset({State.READY, State.SCHEDULED, State.LEASED})},
    {"states": frozenset({State.COMPLETED, State.FAILED})},
    {"states": frozenset()},
    {"lane": "site"},
    {"lane": "other", "states": frozenset({State.READY})},
    {"worker": "anna"},
    {"worker": "berta", "states": frozenset({State.LEASED})},
    {"error_class": "permanent"},
    {"error_class": "blocked", "states": frozenset({State.SCHEDULED})},
    {"reasons": frozenset({"gone", "ok"})},
    {"text": "3"},
    {"text": "X"},
]


def matches(task: Task, which: dict[str, Any]) -> bool:
    """What the filter means, said again in Python."""
    return all(
        {
            "states": lambda: task.state in which["states"],
            "lane": lambda: task.lane == which["lane"],
            "worker": lambda: task.worker == which["worker"],
            "error_class": lambda: task.error_class == which["error_class"],
            "reasons": lambda: task.reason in which["reasons"],
            "text": lambda: which["text"].lower() in str(task.target).lower(),
        }[name]()
        for name in which
    )


@pytest.mark.slow
def test_every_filter_finds_what_it_says_in_both_directions(store: Store):
    run = some_of_all(store)
    everything = store.tasks.find(TaskFilter(run=run))
    assert {task.state for task in everything} == set(State)
    assert {task.worker for task in everything} == {"anna", "berta", None}
    for fields in FILTERS:
        which = TaskFilter(run=run, **fields)
        expected = [task.id for task in everything if matches(task, fields)]
        assert [task.id for task in store.tasks.find(which)] == expected, fields
        for how in ({"limit": 2}, {"limit": 3, "scan": 2}):
            assert pages(store, which, **how) == expected, (fields, how)
            newest = pages(store, which, newest_first=True, **how)
            assert newest == expected[::-1], (fields, how)
        assert store.tasks.count_up_to(which, 100) == store.tasks.count(which) == len(expected)
        assert store.tasks.count_up_to(which, 1) == min(1, len(expected))


def test_what_has_failed_in_one_way_is_counted_as_it_is_found(store: Store):
    run, worker = a_run(store, 6), a_worker(store)
    fault = a_fault("gone", ErrorClass.PERMANENT)
    one, two, three, four = claim(store, worker, 4)
    finish(store, *(failed(lease, fault=fault) for lease in (one, two, three)))
    finish(store, retried(four, 60, fault))
    group = TaskFilter(run=run, fingerprint=fault.fingerprint)
    both = TaskFilter(run=run, states=frozenset({State.FAILED}), fingerprint=fault.fingerprint)
    assert store.tasks.count(group) == 4
    assert len(store.tasks.find(both)) == store.tasks.count(both) == 3
    assert [store.tasks.count_up_to(both, limit) for limit in (1, 3, 9)] == [1, 3, 3]
    unknown = TaskFilter(run=run, states=frozenset({State.FAILED}), fingerprint="none")
    assert store.tasks.count(unknown) == store.tasks.count_up_to(unknown, 5) == 0


def test_a_page_lies_between_two_ids(store: Store):
    run = a_run(store, 10)
    ids = [task.id for task in store.tasks.find(TaskFilter(run=run))]
    for which in (TaskFilter(run=run), TaskFilter(run=run, states=frozenset({State.READY}))):
        between = {"after_id": ids[1], "before_id": ids[8]}
        found = store.tasks.find(which, **between, limit=3)
        assert [task.id for task in found] == ids[2:5]
        found = store.tasks.find(which, **between, newest_first=True, limit=3)
        assert [task.id for task in found] == ids[7:4:-1]
        assert store.tasks.find(which, after_id=2**70) == []
        assert store.tasks.find(which, before_id=-(2**70)) == []
        assert len(store.tasks.find(which, after_id=-5, before_id=2**70)) == 10


def test_ready_tasks_of_all_lanes_and_priorities_come_in_order_of_id(store: Store):
    run = a_run(store)
    given = [Target(value=n, lane=f"lane{n % 7}", priority=1 + n % 10) for n in range(60)]
    store.tasks.enqueue(run, given)
    which = TaskFilter(run=run, states=frozenset({State.READY}))
    forth = pages(store, which, limit=7)
    assert forth == sorted(forth)
    assert len(forth) == 60
    assert pages(store, which, newest_first=True, limit=7) == forth[::-1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%", ["100% off"]),
        ("_", ["snake_case"]),
        ("\\\\", ["back\\slash"]),  # in JSON a backslash is two
        ("' OR 1=1 --", []),
        ("o'", ["O'Neil"]),
        ("{", [{"city": "Bern"}]),
        ("*", []),
        ("?", []),
        ("%%%s", []),
        ("zürich", []),  # only A to Z have two cases, on both databases
        ("zÜrich", ["ZÜRICH"]),
        ("\N{LATIN SMALL LETTER LONG S}", []),
        ("BERN", [{"city": "Bern"}]),
        ("x" * 500, []),
    ],
)
def test_text_is_found_as_it_is_whatever_it_means_to_a_database(
    store: Store, text: str, found: list[Any]
):
    run = a_run(store)
    values = ["100% off", "snake_case", "back\\slash", "O'Neil", {"city": "Bern"}, "ZÜRICH"]
    store.tasks.enqueue(run, targets([*values, "plain"]))
    which = TaskFilter(run=run, text=text)
    assert [task.target for task in store.tasks.search(which).tasks] == found
    assert store.tasks.count_up_to(which, 100) == len(found)


def test_a_search_looks_at_no_more_than_it_may(store: Store):
    run = a_run(store, 500)
    ids = [task.id for task in store.tasks.find(TaskFilter(run=run), limit=500)]
    nothing = TaskFilter(run=run, text="no such text")
    for newest_first, last in ((False, ids[99]), (True, ids[400])):
        found = store.tasks.search(nothing, newest_first=newest_first, scan=100)
        assert (found.tasks, found.is_all, found.next_id) == ([], False, last)
        assert found.searched == 100
    assert store.tasks.search(nothing, scan=500).is_all is False
    assert store.tasks.search(nothing, scan=501).is_all
    # What every task of a run matches is never looked for.
    assert len(store.tasks.search(TaskFilter(run=run), limit=200, scan=1).tasks) == 200


@pytest.mark.slow
def test_a_large_run_is_read_from_the_tables_of_its_states(store: Store):
    other, worker = a_run(store, 50), a_worker(store, lease_seconds=1_000)
    done = [lease.task_id for lease in claim(store, worker, 30, runs=(other,))]
    run = a_run(store, LARGE, lane="site")
    leases = claim(store, worker, 40, runs=(run,))
    finish(store, *(completed(lease) for lease in leases[:20]))
    finish(store, *(retried(lease, 60) for lease in leases[20:30]))
    for state, expected in {
        State.COMPLETED: leases[:20],
        State.SCHEDULED: leases[20:30],
        State.LEASED: leases[30:],
    }.items():
        which = TaskFilter(run=run, states=frozenset({state}))
        ids = sorted(lease.task_id for lease in expected)
        assert pages(store, which, limit=7) == ids
        assert pages(store, which, newest_first=True, limit=7, scan=9) == ids[::-1]
    leased = TaskFilter(run=other, states=frozenset({State.LEASED}))
    assert pages(store, leased, limit=7, scan=5) == sorted(done)
