"""What is new, gone or changed between two runs."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from swather.errors import InputError, NotFound
from swather.model.change import Change, ChangeCounts, ChangeKind, Doubt
from swather.model.outcome import Item
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from swather.runs import pairing
from swather.runs.change_words import ChangeLines, counts_words, matched_words, notes_of
from swather.runs.changes import Changes, compared
from swather.runs.disk_sort import DiskSort
from swather.runs.export import Format, write_file
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, failed, finish

Batches = dict[Any, Iterable[Item] | None]


def a_run_of(store: Store, batches: Batches, **fields: Any) -> str:
    """A run with these targets and what they found; None for one that failed."""
    run = a_run(store, **fields)
    store.tasks.enqueue(run, [Target(value=value) for value in batches])
    for lease in claim(store, a_worker(store), len(batches), runs=(run,)):
        found = batches[lease.target]
        if found is None:
            finish(store, failed(lease))
        else:
            finish(store, completed(lease, *found))
    store.runs.settle(run)
    return run


def priced(**prices: float) -> list[Item]:
    return [Item({"sku": sku, "price": price}, key=sku) for sku, price in prices.items()]


def without_keys(items: list[Item]) -> list[Item]:
    return [Item(item.data) for item in items]


def between(store: Store, old: str, new: str, **options: Any) -> tuple[Changes, list[Change]]:
    changes = compared(store, store.runs.get(new), old, **options)
    return changes, list(changes)


def kinds(found: list[Change]) -> dict[str | None, str]:
    return {change.key: str(change.kind) for change in found}


def test_items_are_matched_by_their_key_wherever_they_were_found(store: Store):
    old = a_run_of(store, {"page 1": priced(a=10, b=5), "page 2": priced(c=1)})
    new = a_run_of(store, {"page 1": priced(c=1, d=7), "page 2": priced(a=8.8)})
    changes, found = between(store, old, new)
    assert kinds(found) == {"a": "changed", "b": "gone", "d": "new"}
    (price,) = found[0].changes
    assert (price.field, price.before, price.after, price.percent) == ("price", 10, 8.8, -12.0)
    assert (found[0].target, found[1].target) == ("page 2", "page 1")
    assert changes.counts == ChangeCounts(new=1, gone=1, changed=1, same=1)
    assert matched_words(changes, []) == "key"
    assert counts_words(changes.counts) == "1 new, 1 gone, 1 changed, 1 the same"


def test_what_ends_while_the_items_are_compared_is_unknown_not_gone(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    old = a_run_of(store, {"page 1": priced(a=1), "page 2": priced(b=2)})
    new = a_run(store)
    store.tasks.enqueue(new, [Target(value="page 1"), Target(value="page 2")])
    first, second = claim(store, a_worker(store), 2, runs=(new,))
    finish(store, completed(first))
    judge = Changes._doubted

    def ends_before_it_is_judged(self: Changes, *args: Any, **options: Any) -> Any:
        finish(store, completed(second, *priced(b=2)))
        monkeypatch.undo()
        return judge(self, *args, **options)

    monkeypatch.setattr(Changes, "_doubted", ends_before_it_is_judged)
    changes, _ = between(store, old, new)
    assert changes.counts == ChangeCounts(gone=1, unknown=1, doubts={Doubt.UNFINISHED: 1})
    # Whoever asks again sees it.
    assert between(store, old, new)[0].counts == ChangeCounts(gone=1, same=1)


def test_an_item_of_several_targets_is_unknown_if_one_of_them_failed(store: Store):
    both = [Item({"sku": "s1"})]
    old = a_run_of(store, {"A": both, "B": both})
    new = a_run_of(store, {"A": [], "B": None, "C": [Item({"sku": "s2"})]})
    changes, _ = between(store, old, new, key=["sku"])
    assert (changes.counts.gone, changes.counts.unknown, changes.counts.new) == (0, 2, 1)


def test_an_item_is_not_gone_if_its_target_failed_or_has_not_run(store: Store):
    old = a_run_of(store, {n: priced(**{f"k{n}": n}) for n in range(5)})
    new = a_run(store)
    store.tasks.enqueue(new, [Target(value=n) for n in range(4)])
    leases = {each.target: each for each in claim(store, a_worker(store), 3, runs=(new,))}
    finish(store, completed(leases[0]))
    finish(store, failed(leases[1]))
    finish(store, failed(leases[2], reason="not_found"))
    changes, found = between(store, old, new)
    # Target 0 no longer has it, and the page of target 2 is not there any more.
    assert kinds(found) == {"k0": "gone", "k2": "gone"}
    counts = changes.counts
    assert (counts.unknown, counts.doubts) == (
        3, {Doubt.FAILED: 1, Doubt.UNFINISHED: 1, Doubt.NOT_IN_RUN: 1},
    )  # fmt: skip
    assert "is not finished: 1 target to do" in " ".join(notes_of(changes, store))
    _, unknown = between(store, old, new, only=[ChangeKind.UNKNOWN])
    assert {change.key: change.doubt for change in unknown} == {
        "k1": Doubt.FAILED, "k3": Doubt.UNFINISHED, "k4": Doubt.NOT_IN_RUN,
    }  # fmt: skip


def test_an_item_is_not_new_if_its_target_failed_before(store: Store):
    old = a_run_of(store, {"a": None, "b": priced(b=1)})
    new = a_run_of(store, {"a": priced(a=1), "b": priced(b=1, c=1), "d": priced(d=1)})
    changes, found = between(store, old, new)
    assert kinds(found) == {"c": "new", "d": "new"}
    assert changes.counts.doubts == {Doubt.FAILED: 1}


def test_a_page_that_is_no_longer_linked_takes_its_items_along(store: Store):
    def shop(links: list[str]) -> str:
        run = a_run(store, 1)
        worker = a_worker(store)
        (lease,) = claim(store, worker, 1, runs=(run,))
        children = [Target(value=link, parent_id=lease.task_id) for link in links]
        finish(store, completed(lease, children=children))
        for leased in claim(store, worker, 5, runs=(run,)):
            finish(store, completed(leased, *priced(**{leased.target: 1})))
        return run

    changes, found = between(store, shop(["a", "b"]), shop(["a"]))
    assert kinds(found) == {"b": "gone"}
    assert changes.counts.unknown == 0


def test_an_item_of_two_targets_is_gone_only_if_both_were_looked_at(store: Store):
    old = a_run_of(store, {"x": priced(a=1), "y": priced(a=1)})
    assert kinds(between(store, old, a_run_of(store, {"x": [], "y": []}))[1]) == {"a": "gone"}
    changes, found = between(store, old, a_run_of(store, {"x": [], "y": None}))
    assert (found, changes.counts.unknown) == ([], 1)


def test_partial_rows_are_compared_and_the_rest_of_their_target_is_unknown(store: Store):
    old = a_run_of(store, {"x": priced(a=1, b=1)})
    new = a_run(store)
    store.tasks.enqueue(new, [Target(value="x")])
    (lease,) = claim(store, a_worker(store), 1, runs=(new,))
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=priced(a=2))
    finish(store, failed(lease))
    changes, found = between(store, old, new)
    assert (kinds(found), changes.counts.unknown) == ({"a": "changed"}, 1)


def test_without_keys_items_are_matched_by_target_and_place_identical_ones_first(store: Store):
    old = a_run_of(store, {"x": without_keys(priced(a=1, b=2, c=3)), "y": [Item("text")]})
    new = a_run_of(store, {"y": [Item("other")], "x": without_keys(priced(b=2, c=4))})
    changes, found = between(store, old, new)
    assert matched_words(changes, []) == "target and place"
    assert sorted((str(each.kind), each.key) for each in found) == [
        ("changed", None), ("changed", None), ("gone", None),
    ]  # fmt: skip
    (text,) = (each for each in found if each.target == "y")
    assert [(c.field, c.before, c.after) for c in text.changes] == [("value", "text", "other")]
    assert (changes.repeated, changes.counts.same) == (0, 1)


def test_named_fields_match_items_by_their_text(store: Store):
    old = a_run_of(store, {1: [Item({"id": {"n": 12}, "p": 1}), Item({"p": 9})]})
    new = a_run_of(store, {1: [Item({"p": 9}), Item({"id": {"n": "12"}, "p": 2})]})
    changes, found = between(store, old, new, key=["id.n"], ignored=["id"])
    assert [(each.key, each.changes[0].field) for each in found] == [("12", "p")]
    assert changes.counts.same == 1
    assert matched_words(changes, ["id.n"]) == "id.n; others by target and place"


def test_a_key_that_no_item_has_is_refused_with_the_names_that_there_are(store: Store):
    run = a_run_of(store, {1: priced(a=1)})
    with pytest.raises(InputError, match=r"'isbn', which --key names; its items have: sku, price"):
        between(store, run, a_run_of(store, {1: priced(a=1)}), key=["isbn"])


@pytest.mark.parametrize("many", [1_000, 2])
def test_a_repeated_key_pairs_identical_items_first_then_in_order(
    store: Store, monkeypatch: pytest.MonkeyPatch, many: int
):
    monkeypatch.setattr(pairing, "MANY", many)
    old = a_run_of(store, {1: [Item({"k": "x", "n": n}) for n in range(4)]})
    new = a_run_of(store, {1: [Item({"k": "x", "n": n}) for n in (1, 2, 9)]})
    changes, _ = between(store, old, new, key=["k"])
    assert changes.repeated == 1
    expected = (1, 1, 2) if many == 1_000 else (1, 3, 0)
    counts = changes.counts
    assert (counts.gone, counts.changed, counts.same) == expected
    assert "1 key on more than one item" in " ".join(notes_of(changes, store))


def test_small_changes_of_numbers_may_be_left_out(store: Store):
    old = a_run_of(store, {1: priced(a=100, b=100, c=100)})
    new = a_run_of(store, {1: priced(a=104.9, b=95, c=100)})
    changes, found = between(store, old, new, min_percent=5)
    assert kinds(found) == {"b": "changed"}
    assert counts_words(changes.counts) == (
        "0 new, 0 gone, 1 changed, 2 the same (1 of them changed by less)"
    )


def test_the_default_is_the_last_finished_run_of_the_same_scraper(store: Store):
    first = a_run_of(store, {1: priced(a=1)})
    with pytest.raises(NotFound, match="no run of books finished before"):
        compared(store, store.runs.get(first), None)
    second = a_run_of(store, {1: priced(a=2)})
    a_run_of(store, {1: []}, scraper="other")
    a_run(store, 1)
    last = a_run_of(store, {1: priced(a=2)})
    assert compared(store, store.runs.get(last), None).since.name == second
    with pytest.raises(InputError, match="cannot be compared with itself"):
        compared(store, store.runs.get(last), last)


def test_runs_of_different_scrapers_and_the_wrong_order_are_said(store: Store):
    one = a_run_of(store, {1: priced(a=1)})
    other = a_run_of(store, {1: priced(a=1)}, scraper="other")
    changes, _ = between(store, other, one)
    said = " ".join(notes_of(changes, store))
    assert "different scrapers: other and books" in said
    assert f"{other} is newer than {one}" in said


def test_what_was_left_out_by_a_limit_is_not_gone(store: Store):
    old = a_run_of(store, {"a": priced(a=1), "b": priced(b=1)})
    new = a_run_of(store, {"a": priced(a=1), "b": []})
    assert kinds(between(store, old, new)[1]) == {"b": "gone"}
    limited = a_run(store, task_limit=1)
    store.tasks.enqueue(limited, [Target(value="a"), Target(value="b")])
    (lease,) = claim(store, a_worker(store), 1, runs=(limited,))
    finish(store, completed(lease, *priced(a=1)))
    changes, found = between(store, old, limited)
    assert (found, changes.counts.doubts) == ([], {Doubt.NOT_IN_RUN: 1})


def test_files_have_an_item_a_line_and_tables_a_row_a_field(store: Store, tmp_path: Path):
    old = a_run_of(store, {1: priced(a=10, b=1)})
    new = a_run_of(store, {1: priced(a=5, c=1)})
    for form in (Format.JSONL, Format.CSV):
        lines = ChangeLines(compared(store, store.runs.get(new), old), form)
        write_file(lines, tmp_path / f"x.{form}", form)
        assert lines.changes == 3
    first = json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0])
    assert first == {
        "kind": "changed", "key": "a", "target": 1,
        "before": {"sku": "a", "price": 10}, "after": {"sku": "a", "price": 5},
        "changes": [{"field": "price", "before": 10, "after": 5, "percent": -50.0}],
    }  # fmt: skip
    assert (tmp_path / "x.csv").read_text().splitlines()[:2] == [
        "kind,key,target,field,before,after,percent", "changed,a,1,price,10,5,-50.0",
    ]  # fmt: skip


def test_a_retried_target_that_failed_makes_its_items_unknown(store: Store):
    old = a_run_of(store, {1: priced(a=1)})
    new = a_run_of(store, {1: priced(a=1)})
    store.tasks.retry(TaskFilter(run=new))
    (lease,) = claim(store, a_worker(store), 1, runs=(new,))
    finish(store, failed(lease))
    changes, found = between(store, old, new)
    assert found == []
    assert changes.counts.unknown + changes.counts.same == 1


def test_a_sort_on_disk_gives_the_order_of_a_sort_in_memory(tmp_path: Path):
    records = [(b"%d" % (n * 7919 % 500), b"%08d" % n, b"x" * (n % 50)) for n in range(2_000)]
    with DiskSort(memory_bytes=20_000, folder=tmp_path) as sort:
        for record in records:
            sort.add(record)
        assert list(sort) == sorted(records)
        assert list(sort) == sorted(records)


def test_a_sort_that_has_no_room_says_where(tmp_path: Path):
    with (
        DiskSort(memory_bytes=1, folder=tmp_path / "missing") as sort,
        pytest.raises(InputError, match=r"cannot sort items in .*missing: No such file"),
    ):
        sort.add((b"a", b"b", b"c"))
