from swather.model.outcome import Failed
from swather.model.retry import ErrorClass
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_fault, a_run, a_worker, claim, failed, finish, retried


def test_failures_that_look_the_same_form_one_group(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    leases = claim(store, worker, 5)
    for number, lease in enumerate(leases[:3]):
        fault = a_fault(f"row {number} of 'page{number}' is empty", where="books.py:12")
        finish(store, failed(lease, fault=fault))
    for lease in leases[3:]:
        finish(store, failed(lease, fault=a_fault("timed out", ErrorClass.TIMEOUT)))
    empty, timed_out = store.results.errors(run)
    assert (empty.count, timed_out.count) == (3, 2)
    assert (empty.run, empty.error_class, empty.where) == (run, "transient", "books.py:12")
    assert empty.title == "row # of 'page#' is empty"
    assert timed_out.error_class == "timeout"


def test_a_group_has_a_sample(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    fault = a_fault("page 7 is empty", traceback="Traceback: line 3", where="x.py:3")
    finish(store, failed(lease, fault=fault))
    (group,) = store.results.errors(run)
    assert group.fingerprint == fault.fingerprint
    assert group.sample_task_id == lease.task_id
    assert group.sample_message == "page 7 is empty"
    assert group.sample_traceback == "Traceback: line 3"


def test_failures_of_one_batch_and_of_many_add_up(store: Store):
    run, worker = a_run(store, 6), a_worker(store)
    leases = claim(store, worker, 6)
    finish(store, *(failed(lease) for lease in leases[:4]))
    finish(store, *(failed(lease) for lease in leases[4:]))
    (group,) = store.results.errors(run)
    assert group.count == 6


def test_retries_belong_to_a_group_too(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    for _ in range(3):
        (lease,) = claim(store, worker)
        finish(store, retried(lease))
    (group,) = store.results.errors(run)
    assert group.count == 3


def test_the_same_message_elsewhere_or_of_another_class_is_another_group(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    a, b, c = claim(store, worker, 3)
    finish(store, failed(a, fault=a_fault("x", where="a.py:1")))
    finish(store, failed(b, fault=a_fault("x", where="b.py:1")))
    finish(store, failed(c, fault=a_fault("x", ErrorClass.PROXY, where="a.py:1")))
    assert len(store.results.errors(run)) == 3


def test_a_group_knows_its_first_and_last_time(store: Store, clock: Clock):
    run, worker = a_run(store, 2), a_worker(store, lease_seconds=1_000)
    first, second = claim(store, worker, 2)
    finish(store, failed(first))
    clock.advance(100)
    finish(store, failed(second))
    (group,) = store.results.errors(run)
    assert 90 < (group.last_at - group.first_at).total_seconds() < 110


def test_the_most_frequent_come_first_and_not_more_than_asked_for(store: Store):
    run, worker = a_run(store, 6), a_worker(store)
    a, *b = claim(store, worker, 6)
    finish(store, failed(a, fault=a_fault("rare")))
    finish(store, *(failed(lease, fault=a_fault("frequent")) for lease in b))
    assert [group.title for group in store.results.errors(run)] == ["frequent", "rare"]
    assert [group.title for group in store.results.errors(run, limit=1)] == ["frequent"]


def test_groups_of_other_runs_stay_out(store: Store):
    worker = a_worker(store)
    run, quiet = a_run(store, 1), a_run(store)
    finish(store, *(failed(lease) for lease in claim(store, worker)))
    assert len(store.results.errors(run)) == 1
    assert store.results.errors(quiet) == []


def test_the_tasks_of_a_group_are_found(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    a, b, c = claim(store, worker, 3)
    finish(store, failed(a, fault=a_fault("x")), failed(b, fault=a_fault("x")))
    finish(store, failed(c, fault=a_fault("y")))
    group = store.results.errors(run)[0]
    found = store.tasks.find(TaskFilter(run=run, fingerprint=group.fingerprint))
    assert [task.id for task in found] == [a.task_id, b.task_id]


def test_what_was_retried_and_what_was_given_up_is_one_group(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    fault = a_fault("ValueError: bad two")
    again, over = claim(store, worker, 2)
    finish(store, retried(again, fault=fault))
    finish(
        store,
        Failed(task_id=over.task_id, token=over.token, reason="x", fault=fault, exhausted=True),
    )
    (group,) = store.results.errors(run)
    assert (group.count, group.title) == (2, "ValueError: bad two")
    found = store.tasks.find(TaskFilter(run=run, fingerprint=group.fingerprint))
    assert [task.error for task in found] == [
        "ValueError: bad two",
        "Exceeded retries: ValueError: bad two",
    ]
    assert store.results.error_example(group).message == "ValueError: bad two"


def test_a_group_is_found_by_how_it_begins(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    for lease, text in zip(claim(store, worker, 3), "abc", strict=True):
        finish(store, failed(lease, fault=a_fault(text)))
    groups = store.results.errors(run)
    for group in groups:
        assert store.results.errors_like(run, group.fingerprint) == [group]
    assert len(store.results.errors_like(run, "")) == 3
    assert len(store.results.errors_like(run, "", limit=2)) == 2
    for unknown in ("z", "%", "_", "\0", "\ud800", "'"):
        assert store.results.errors_like(run, unknown) == []


def test_the_example_of_a_group_is_its_most_frequent_message(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    texts = ["row 1", "row 7", "row 7", "row 7", "row 2"]
    leases = claim(store, worker, 5)
    for lease, text in zip(leases, texts, strict=True):
        finish(store, failed(lease, fault=a_fault(text, traceback=f"of {text}")))
    (group,) = store.results.errors(run)
    example = store.results.error_example(group)
    assert (example.message, example.traceback) == ("row 7", "of row 7")
    assert example.task_id == leases[3].task_id


def test_a_group_whose_tasks_failed_otherwise_since_has_its_sample(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    for text in ("first", "second"):
        (lease,) = claim(store, worker)
        finish(store, retried(lease, fault=a_fault(text)))
    first = next(group for group in store.results.errors(run) if group.title == "first")
    assert store.results.error_example(first).message == "first"
