"""Bad input: an error of our own that names the value, and nothing half-written."""

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import msgspec
import pytest

from swather import posix
from swather.errors import (
    BadPayload,
    BadTarget,
    InputError,
    NotFound,
    SwatherError,
)
from swather.model.outcome import File, Item
from swather.model.pacing import Limits
from swather.model.run import NewRun, RunState
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from swather.model.worker import NewWorker
from swather.store import Store
from tests.store.given import (
    a_lease,
    a_run,
    a_worker,
    cancelled,
    completed,
    data,
    failed,
    finish,
    retried,
    run_of,
    states,
    targets,
)

DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]

BAD_TARGETS = {
    "NUL in a text": (Target(value="a\0b"), BadPayload, r"a\\x00b"),
    "NUL inside": (Target(value={"a": ["x\0"]}), BadPayload, "NUL"),
    "NUL in a name": (Target(value={"x\0": 1}), BadPayload, "NUL"),
    "a lone surrogate": (Target(value="x\ud800y", key="k"), BadPayload, "ud800"),
    "a lone surrogate inside": (Target(value={"q": "\udfff"}, key="k"), BadPayload, "udfff"),
    "NaN": (Target(value={"x": math.nan}), BadPayload, "nan"),
    "infinity": (Target(value=[math.inf]), BadPayload, "inf"),
    "10 MB": (Target(value="y" * 10_000_000), BadPayload, "10,000,002 bytes.*1,048,576"),
    "an object": (Target(value=object()), BadPayload, "object"),
    "a set of objects": (Target(value={object()}), BadPayload, "object"),
    "deep nesting": (Target(value=DEEP, key="k"), BadPayload, "deep"),
    "priority 0": (Target(value=1, priority=0), BadTarget, "from 1 to 10, got 0"),
    "priority 11": (Target(value=1, priority=11), BadTarget, "from 1 to 10, got 11"),
    "priority -1": (Target(value=1, priority=-1), BadTarget, "got -1"),
    "priority True": (Target(value=1, priority=True), BadTarget, "got True"),
    "priority 5.5": (Target(value=1, priority=5.5), BadTarget, "got 5.5"),
    "priority text": (Target(value=1, priority="5"), BadTarget, "got '5'"),
    "no priority": (Target(value=1, priority=None), BadTarget, "got None"),
    "an empty key": (Target(value=1, key=""), BadTarget, "key must not be empty"),
    "an empty target": (Target(value=""), BadTarget, "key must not be empty"),
    "a key that is no text": (Target(value=1, key=7), BadTarget, "7"),
    "a key with a lone surrogate": (Target(value=1, key="\ud800"), BadTarget, "ud800"),
    "NUL in a lane": (Target(value=1, lane="a\0"), BadTarget, r"lane.*a\\x00"),
    "a lane that is no text": (Target(value=1, lane=5), BadTarget, "lane.*5"),
    "a long lane": (Target(value=1, lane="l" * 501), BadTarget, "lane.*501"),
    "NUL in a partition": (Target(value=1, partition="a\0"), BadTarget, r"partition.*a\\x00"),
    "a long partition": (Target(value=1, partition="p" * 501), BadTarget, "partition.*501"),
    "a negative due time": (Target(value=1, due_in_seconds=-5), BadTarget, "-5"),
    "an infinite due time": (Target(value=1, due_in_seconds=math.inf), BadTarget, "inf"),
    "a due time that is NaN": (Target(value=1, due_in_seconds=math.nan), BadTarget, "nan"),
    "no due time": (Target(value=1, due_in_seconds=None), BadTarget, "None"),
    "a due time that is text": (Target(value=1, due_in_seconds="soon"), BadTarget, "soon"),
    "a parent that is no number": (Target(value=1, parent_id="x"), BadTarget, "x"),
}


def each(
    names: str, cases: Iterable[Any], ids: Iterable[str] | None = None
) -> pytest.MarkDecorator:
    """Every case on SQLite, and the first on PostgreSQL too: both stores call the same checks
    before they touch their database.
    """
    given = [case if isinstance(case, tuple) else (case,) for case in cases]
    named = list(ids or map(str, range(len(given))))
    return pytest.mark.parametrize(
        f"database_kind,{names}",
        [*(("sqlite", *case) for case in given), ("postgres", *given[0])],
        ids=[*(f"sqlite-{name}" for name in named), f"postgres-{named[0]}"],
        indirect=["database_kind"],
    )


@each("name", BAD_TARGETS, ids=BAD_TARGETS)
def test_a_bad_target_is_refused_and_nothing_of_its_batch_is_stored(store: Store, name: str):
    target, error, message = BAD_TARGETS[name]
    run = a_run(store)
    with pytest.raises(error, match=message) as raised:
        store.tasks.enqueue(run, [Target(value="good"), target])
    assert isinstance(raised.value, SwatherError)
    assert "target number 2" in str(raised.value)
    assert len(str(raised.value)) < 1_000
    assert states(store, run) == {}
    assert store.tasks.enqueue(run, targets(["good"])).added == 1


@each("name", ["NUL inside", "NaN", "an object", "priority 11", "an empty key"])
def test_a_bad_child_is_refused_and_its_parent_still_runs(store: Store, name: str):
    target, error, message = BAD_TARGETS[name]
    lease = a_lease(store)
    with pytest.raises(error, match=message):
        finish(store, completed(lease, "item", children=[target]))
    with pytest.raises(error, match=message):
        store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("i")], children=[target])
    assert states(store, run_of(store, lease)) == {"leased": 1}
    assert data(store, run_of(store, lease)) == []


@pytest.mark.slow
@each(
    "item,message",
    [
        (Item("a\0"), "NUL"),
        (Item({"x": "\ud800"}), "surrogate"),
        (Item(math.nan), "nan"),
        (Item(object()), "object"),
        (Item("x" * (33 << 20)), "34,603,010 bytes"),
        (Item(1, key="a\0"), "key.*NUL"),
        (Item(1, key="k" * 501), "key.*501"),
        (Item(1, key=5), "key.*5"),
    ],
    ids=["NUL", "surrogate", "NaN", "object", "33 MB", "NUL key", "long key", "number key"],
)
def test_a_bad_item_is_refused_and_its_task_still_runs(store: Store, item: Item, message: str):
    lease = a_lease(store)
    with pytest.raises(InputError, match=message):
        finish(store, completed(lease, "good", item))
    with pytest.raises(InputError, match=message):
        store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("good"), item])
    assert states(store, run_of(store, lease)) == {"leased": 1}
    assert data(store, run_of(store, lease)) == []


@each("field,name", product(["name", "sha256", "media_type"], ["a\0", "\ud800", "n" * 501, 5]))
def test_a_bad_file_is_refused_and_its_task_still_runs(store: Store, field: str, name):
    lease = a_lease(store)
    file = File(**{"name": "f", "sha256": "ab" * 32, "size_bytes": 1, field: name})
    with pytest.raises(InputError, match=f"file.*{field}"):
        finish(store, completed(lease, files=[file]))
    with pytest.raises(InputError, match=f"file.*{field}"):
        store.queue.checkpoint(lease.fence, part=0, cursor=1, files=[file])
    assert states(store, run_of(store, lease)) == {"leased": 1}


@each("end,reason", product([completed, failed, cancelled], ["a\0", "\ud800", "r" * 501, 5]))
def test_a_bad_reason_is_refused_and_its_task_still_runs(store: Store, end, reason):
    lease = a_lease(store)
    with pytest.raises(InputError, match="reason"):
        finish(store, end(lease, reason=reason))
    assert states(store, run_of(store, lease)) == {"leased": 1}


@each("value", [math.nan, "\0", "\ud800", object()])
def test_bad_progress_and_statistics_are_refused(store: Store, value):
    lease = a_lease(store)
    (worker,) = store.workers.find()
    with pytest.raises(BadPayload, match="progress"):
        store.queue.progress(lease.fence, value)
    with pytest.raises(BadPayload, match="statistics"):
        store.workers.beat(worker.id, [lease.fence], {"x": value})
    assert store.tasks.get(lease.task_id).progress is None


@each(
    "fields",
    [
        {"scraper": ""},
        {"scraper": "a\0"},
        {"scraper": "s" * 501},
        {"name": ""},
        {"name": "a\0b"},
        {"name": "\ud800"},
        {"name": "n" * 501},
        {"version": "\0"},
        {"params": {"x": math.nan}},
        {"params": {"x": {1, "set of both"}, "y": 1j}},
    ],
)
def test_a_bad_run_is_refused(store: Store, fields):
    new = NewRun(**{"scraper": "books", **fields})
    with pytest.raises(InputError):
        store.runs.create(new)
    assert store.runs.find() == []


@each("name", ["a\0", "\ud800", "n" * 501, 5])
def test_a_bad_worker_is_refused(store: Store, name):
    for field in ("name", "version"):
        with pytest.raises(InputError, match=field):
            a_worker(store, **{field: name})
    for field in ("host", "boot_id", "namespace", "started"):
        process = msgspec.structs.replace(posix.this_process(), **{field: name})
        with pytest.raises(InputError, match=field):
            store.workers.register(NewWorker(process=process))
    assert store.workers.find(live=False) == []


@each("seconds", [math.inf, 1e18])
def test_a_lease_must_end(store: Store, seconds: float):
    with pytest.raises(InputError, match="lease_seconds"):
        a_worker(store, lease_seconds=seconds)
    assert store.workers.find(live=False) == []


@each("seconds", [-1, math.nan, math.inf, "5"])
def test_a_cool_down_must_be_a_time_that_ends(store: Store, seconds):
    with pytest.raises(InputError, match=str(seconds)):
        store.lanes.cool("site", seconds)
    assert store.lanes.get("site").cool_until is None


@each("lane", ["a\0", "\ud800", "l" * 501, 5])
def test_a_bad_lane_is_refused_by_every_verb(store: Store, lane):
    lease = a_lease(store)
    for verb in (
        lambda: store.lanes.get(lane),
        lambda: store.lanes.limit(lane, Limits(1.0)),
        lambda: store.lanes.pause(lane),
        lambda: store.lanes.cool(lane, 5),
        lambda: store.queue.permits(lease.fence, lane),
    ):
        with pytest.raises(InputError, match="lane"):
            verb()


@each("after", [math.nan, math.inf])
def test_a_retry_must_be_due_at_a_time_that_comes(store: Store, after):
    lease = a_lease(store)
    with pytest.raises(InputError, match=str(after)):
        finish(store, retried(lease, after))
    assert states(store, run_of(store, lease)) == {"leased": 1}


@each("limit", [0, -1, 2**63, 1.5, None])
def test_a_limit_that_is_no_count_is_refused(store: Store, limit):
    run, worker = a_run(store, 1), a_worker(store)
    for verb in (
        lambda: store.runs.find(limit=limit),
        lambda: store.runs.find(state=RunState.OPEN, limit=limit),
        lambda: store.tasks.find(_all(run), limit=limit),
        lambda: store.lanes.find(limit=limit),
        lambda: store.workers.find(limit=limit),
        lambda: store.partitions.take(worker, run, limit=limit),
        lambda: store.results.items(run, limit=limit),
        lambda: store.results.files(run, limit=limit),
        lambda: store.results.errors(run, limit=limit),
        lambda: store.events.find(run, limit=limit),
        lambda: store.pages.tasks(run, limit=limit),
    ):
        with pytest.raises(InputError, match=f"limit must be .*got {limit}"):
            verb()


def test_what_is_not_there_is_not_found(store: Store):
    with pytest.raises(NotFound, match="424242"):
        store.tasks.get(424_242)
    with pytest.raises(NotFound, match="nowhere"):
        store.tasks.enqueue("nowhere", targets(1))


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_an_id_that_no_database_can_hold_is_not_found(store: Store, number: int):
    run = a_run(store, 1)
    for verb in (
        lambda: store.tasks.get(number),
        lambda: store.workers.get(number),
        lambda: store.workers.pause(number),
    ):
        with pytest.raises(NotFound, match=str(number)):
            verb()
    assert store.events.find(run, task_id=number) == []
    assert store.events.find(run, worker_id=number) == []
    these = TaskFilter(run=run, task_ids=(number,))
    assert store.tasks.find(these) == []
    assert (store.tasks.count(these), store.tasks.cancel(these), store.tasks.retry(these)) == (
        0, 0, 0,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["a\0", "\udcff", "n" * 501])
def test_a_run_whose_name_no_database_can_hold_is_not_found(store: Store, name: str):
    for verb in (
        lambda: store.runs.get(name),
        lambda: store.runs.counts(name),
        lambda: store.runs.pause(name),
        lambda: store.runs.remove(name),
        lambda: store.tasks.find(_all(name)),
        lambda: store.tasks.enqueue(name, targets(1)),
        lambda: store.events.find(name),
        lambda: store.results.items(name),
    ):
        with pytest.raises(NotFound, match="there is no run named"):
            verb()


@pytest.mark.parametrize("name", ["a\0", "\udcff"])
def test_a_filter_that_no_task_can_pass_is_refused(store: Store, name: str):
    run = a_run(store, 1)
    for field in ("lane", "error_class", "fingerprint"):
        with pytest.raises(InputError, match=field):
            store.tasks.find(TaskFilter(run=run, **{field: name}))
    with pytest.raises(InputError, match="reason"):
        store.tasks.count(TaskFilter(run=run, reasons=frozenset({name})))


def test_duplicate_keys_within_a_batch_are_stored_once(store: Store):
    run = a_run(store)
    given = [Target(value=n, key="same") for n in range(10)]
    assert store.tasks.enqueue(run, given) == (1, 9, 0)
    assert [task.target for task in store.tasks.find(_all(run))] == [0]


def _all(run: str) -> TaskFilter:
    return TaskFilter(run=run)


def test_strange_but_sound_values_come_back_as_they_were(store: Store):
    strange = [
        "\u2028\u2029\ufeff",
        "'; DROP TABLE tasks; --",
        "%s %(name)s {0} $1 :name ?",
        "😀 ünïcödé \x01\x1f\x7f",
        {"": None, "ключ": [1e308, -1e-308, 0.1, 2**53, -(2**63), 2**64 - 1]},
        [[], {}, [[]], None, True, False, "\\u0000", "\\x00"],
        "x" * 1_000_000,
    ]
    run = a_run(store)
    store.tasks.enqueue(run, [Target(value=value, key=str(n)) for n, value in enumerate(strange)])
    found = [task.target for task in store.tasks.find(_all(run))]
    assert found == strange
    lane = 'it\'s a "lane" %s ü'
    store.tasks.enqueue(run, [Target(value="laned", lane=lane, partition=lane, key=lane)])
    (task,) = [t for t in store.tasks.find(_all(run)) if t.target == "laned"]
    assert (task.lane, task.partition) == (lane, lane)


def test_a_run_may_have_a_strange_name(store: Store):
    name = 'it\'s; DROP "run" %s ü 😀'
    store.runs.create(NewRun(scraper="b'c", name=name))
    store.tasks.enqueue(name, targets(2))
    assert store.runs.get(name).scraper == "b'c"
    assert states(store, name) == {"ready": 2}
