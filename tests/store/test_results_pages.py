"""Pages of results: the newest items and files, a search in them, error groups of all runs."""

from datetime import timedelta
from typing import Any

import pytest

from swather.errors import InputError, NotFound
from swather.model.outcome import File, Item
from swather.model.retry import ErrorClass
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_fault, a_lease, a_run, a_worker, claim, completed, failed, finish
from tests.store.given import run_of as run_name


def a_file(name: str) -> File:
    return File(
        name=name, sha256=f"{hash(name) & 0xFFFF:064x}", size_bytes=3, media_type="image/png"
    )


def some_items(store: Store, *values: Any) -> str:
    """Items of a task each, in a run beside another."""
    finish(store, completed(a_lease(store), "theirs"))
    run, worker = a_run(store, len(values)), a_worker(store)
    for value, lease in zip(values, claim(store, worker, len(values), runs=(run,)), strict=True):
        finish(store, completed(lease, value))
    return run


def test_the_newest_items_come_first_page_by_page(store: Store):
    run = some_items(store, *range(10))
    seen, before = [], ""
    while page := store.results.newest(run, before=before, limit=4):
        seen += [item.data for item in page]
        before = page[-1].position
    assert seen == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_an_item_says_whether_its_task_has_completed(store: Store):
    lease = a_lease(store)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("a", key="k")])
    (item,) = store.results.newest(run_name(store, lease))
    assert (item.task_id, item.part, item.key, item.partial) == (lease.task_id, 0, "k", True)
    finish(store, completed(lease, part=1))
    (item,) = store.results.newest(run_name(store, lease))
    assert not item.partial


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("LAMP", [{"title": "Lamp 10%"}, "lamp_2"]),
        ("%", [{"title": "Lamp 10%"}]),
        ("_", ["lamp_2"]),
        ("' OR 1=1", []),
        ("é", ["café"]),
        ("É", []),
        ("\\\\", ["a\\b"]),
    ],
)
def test_items_are_searched_for_text(store: Store, text: str, found: list[Any]):
    run = some_items(store, "a\\b", "café", "lamp_2", "chair", {"title": "Lamp 10%"})
    answer = store.results.search(run, text)
    assert [item.data for item in answer.items] == found
    assert (answer.is_all, answer.next_position) == (True, "")


def test_a_search_of_items_reads_no_more_than_it_may_and_resumes(store: Store):
    run = some_items(store, *("lamp" if number % 5 == 0 else "chair" for number in range(20)))
    seen, before, turns = 0, "", 0
    while True:
        answer = store.results.search(run, "lamp", before=before, limit=3, scan=6)
        seen, turns = seen + len(answer.items), turns + 1
        if answer.is_all:
            break
        before = answer.next_position
    assert (seen, turns) == (4, 4)
    # A full page ends the search where it is.
    answer = store.results.search(run, "lamp", limit=2)
    assert len(answer.items) == 2
    assert answer.next_position == answer.items[-1].position
    assert not answer.is_all


def test_what_a_task_left_behind_is_read_in_order(store: Store):
    lease = a_lease(store)
    store.queue.checkpoint(
        lease.fence, part=0, cursor=1, items=[Item("a"), Item("b")], files=[a_file("x.png")]
    )
    finish(store, completed(lease, "c", part=1, files=[a_file("y.png")]))
    left = store.results.of_task(lease.task_id)
    assert [item.data for item in left.items] == ["a", "b", "c"]
    assert [file.name for file in left.files] == ["x.png", "y.png"]
    assert [len(part) for part in store.results.of_task(lease.task_id, limit=1)] == [1, 1]
    for unknown in (0, lease.task_id + 1, 2**64):
        assert store.results.of_task(unknown) == ([], [])


def test_the_newest_files_come_first_and_one_is_found_by_its_position(store: Store):
    lease = a_lease(store)
    run = run_name(store, lease)
    finish(store, completed(lease, files=[a_file(f"{number}.png") for number in range(5)]))
    first = store.results.newest_files(run, limit=3)
    rest = store.results.newest_files(run, before=first[-1].position, limit=3)
    names = [file.name for file in (*first, *rest)]
    assert names == ["4.png", "3.png", "2.png", "1.png", "0.png"]
    assert store.results.file(run, first[1].position) == first[1]
    other = a_run(store)
    with pytest.raises(NotFound, match="has no file at position"):
        store.results.file(other, first[1].position)


@pytest.mark.parametrize(
    "position",
    ["x", "1:2:3", "../../etc/passwd", "-1", ":", "9" * 40, f"{'9' * 40}:1", "\u0661:\u0662", "²"],
)
def test_a_position_of_another_kind_finds_nothing(store: Store, position: str):
    run = some_items(store, 1)
    for read in (store.results.newest, store.results.newest_files, store.results.file):
        try:
            found = (
                read(run, position) if read == store.results.file else read(run, before=position)
            )
        except (InputError, NotFound):
            continue
        assert all(item.data == 1 for item in found)


def errors_of_two_runs(store: Store, clock: Clock) -> tuple[str, str]:
    first, second = a_run(store, 2), a_run(store, 1)
    worker = a_worker(store, lease_seconds=1_000)
    for lease in claim(store, worker, 2, runs=(first,)):
        finish(store, failed(lease, fault=a_fault("gone", ErrorClass.PERMANENT)))
    clock.advance(60)
    (lease,) = claim(store, worker, 1, runs=(second,))
    finish(store, failed(lease, fault=a_fault("slow", ErrorClass.TIMEOUT)))
    return first, second


def test_error_groups_of_all_runs_come_with_the_latest_first(store: Store, clock: Clock):
    assert store.results.error_groups() == []
    first, second = errors_of_two_runs(store, clock)
    groups = store.results.error_groups()
    assert [(group.run, group.title, group.count) for group in groups] == [
        (second, "slow", 1),
        (first, "gone", 2),
    ]
    assert groups == [*store.results.errors(second), *store.results.errors(first)]
    assert store.results.error_groups(limit=1) == groups[:1]
    middle = groups[0].last_at - timedelta(seconds=30)
    assert store.results.error_groups(since=middle) == groups[:1]


def test_a_group_is_muted_until_it_is_not(store: Store, clock: Clock):
    first, second = errors_of_two_runs(store, clock)
    (group,) = store.results.errors(first)
    store.results.mute(first, group.fingerprint, True)
    assert [each.muted for each in store.results.error_groups()] == [False, True]
    assert store.results.errors(first)[0].muted
    store.results.mute(first, group.fingerprint, False)
    assert [each.muted for each in store.results.error_groups()] == [False, False]
    for run, fingerprint in ((second, group.fingerprint), (first, "none"), (first, "NUL \0")):
        with pytest.raises(NotFound, match="has no error group"):
            store.results.mute(run, fingerprint, True)
