"""When errors of a group happened, and how lanes answered, is told as it was noted."""

import msgspec
import pytest

from swather.errors import InputError
from swather.model.history import Measured
from swather.model.history_bounds import MOST_GROUPS, MOST_LANES
from swather.model.history_details import GroupKey
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_run
from tests.store.test_history import thin_all
from tests.store.threads import together

HOUR = 3_600.0
DAY = 24 * HOUR


def sums(store: Store, *groups: GroupKey, seconds: float = HOUR) -> dict[GroupKey, int]:
    times = store.history.group_times(groups, seconds=seconds)
    return {key: sum(counts.values()) for key, counts in times.times.items()}


def test_groups_of_runs_that_fail_alike_are_told_apart(store: Store):
    one, two = a_run(store, 1), a_run(store, 1)
    for run, n in ((one, 2), (two, 3)):
        store.history.note(run, Measured(groups={"f1": n}))
    store.history.note(one, Measured(groups={"f2": 1}))
    asked = [(one, "f1"), (one, "f2"), (two, "f1"), (two, "f2"), ("never there", "f1")]
    assert sums(store, *asked) == {(one, "f1"): 2, (one, "f2"): 1, (two, "f1"): 3}
    assert sums(store, (two, "f1")) == {(two, "f1"): 3}
    assert sums(store) == {}


def test_when_a_group_happened_is_known_to_the_minute(store: Store, clock: Clock):
    run = a_run(store, 1)
    for n in (1, 0, 4):
        store.history.note(run, Measured(groups={"f1": n} if n else {}))
        clock.advance(60)
    times = store.history.group_times([(run, "f1")], seconds=HOUR)
    counts = list(times.between([(run, "f1")], 60.0, 61).values())
    assert len(counts) == 61
    # The last minute has just begun.
    assert counts[-4:] == [1, 0, 4, 0]
    assert sum(counts) == 5
    clock.advance(DAY)
    assert sums(store, (run, "f1"), seconds=DAY) == {}


def test_what_several_workers_tell_at_once_adds_up(store: Store):
    run = a_run(store, 1)
    measured = Measured(groups={"f1": 2}, lanes={"a.example": (3, 1), "b.example": (1, 0)})

    def tell(mine: Store, _worker: int) -> list[None]:
        return [mine.history.note(run, measured) for _ in range(5)]

    together(store, tell)
    assert sums(store, (run, "f1")) == {(run, "f1"): 80}
    found = store.history.lane_answers(seconds=HOUR)
    assert {lane: (each.answers, each.too_many) for lane, each in found.items()} == {
        "a.example": (120, 40),
        "b.example": (40, 0),
    }
    assert not any(each.is_about for each in found.values())


def test_what_is_left_out_is_rare_and_is_counted(store: Store):
    run = a_run(store, 1)
    groups = {f"f{n}": n + 1 for n in range(MOST_GROUPS + 5)}
    lanes = {f"{n}.example": (n + 1, 0) for n in range(MOST_LANES + 5)}
    store.history.note(run, Measured(groups=groups, lanes={**lanes, "angry.example": (1, 1)}))
    times = store.history.group_times([(run, group) for group in groups], seconds=HOUR)
    assert len(times.times) == MOST_GROUPS
    assert times.left_out == 1 + 2 + 3 + 4 + 5
    assert (run, "f5") in times.times
    found = store.history.lane_answers(seconds=HOUR)
    assert len(found) == MOST_LANES
    assert found["angry.example"].share == 1.0
    assert "5.example" not in found
    assert "6.example" in found
    assert all(each.is_about for each in found.values())


def test_lanes_are_those_of_the_last_hour_in_all_runs(store: Store, clock: Clock):
    one, two = a_run(store, 1), a_run(store, 1)
    store.history.note(one, Measured(lanes={"a.example": (10, 0)}))
    clock.advance(30 * 60)
    store.history.note(two, Measured(lanes={"a.example": (10, 5)}))
    assert store.history.lane_answers(seconds=HOUR)["a.example"].share == 0.25
    clock.advance(31 * 60)
    assert store.history.lane_answers(seconds=HOUR)["a.example"].share == 0.5
    clock.advance(HOUR)
    assert store.history.lane_answers(seconds=HOUR) == {}


def test_nothing_is_lost_when_measurements_are_merged(
    store: Store, database: Database, clock: Clock
):
    run = a_run(store, 1)
    measured = Measured(groups={"f1": 1}, lanes={"a.example": (2, 1)})

    def tell(mine: Store, _worker: int) -> list[None]:
        return [mine.history.note(run, measured)]

    together(store, tell)
    clock.advance(2 * HOUR)
    thin_all(store)
    assert sums(store, (run, "f1"), seconds=DAY) == {(run, "f1"): 8}
    assert store.history.lane_answers(seconds=DAY)["a.example"].answers == 16
    (data,) = database.rows("SELECT data FROM measurements WHERE run_id = 0")
    assert msgspec.json.decode(data[0], type=Measured, strict=False).lanes == {"a.example": (16, 8)}


def test_rows_of_an_older_release_are_read(store: Store, database: Database):
    run = a_run(store, 1)
    store.history.note(run, Measured(statuses={"200": 1}))
    database.execute(
        """UPDATE measurements SET data = '{"statuses":{"200":1},"latency":{},"classes":{}}'"""
    )
    assert sums(store, (run, "f1")) == {}
    assert store.history.lane_answers(seconds=HOUR) == {}
    store.history.note(run, Measured(statuses={"200": 1}, groups={"f1": 1}))
    assert sums(store, (run, "f1")) == {(run, "f1"): 1}


def test_the_groups_of_a_run_that_is_removed_are_forgotten(store: Store):
    run, other = a_run(store, 1), a_run(store, 1)
    for each in (run, other):
        store.history.note(each, Measured(groups={"f1": 1}))
    store.runs.cancel(run)
    store.runs.settle(run)
    store.runs.remove(run)
    assert sums(store, (run, "f1"), (other, "f1")) == {(other, "f1"): 1}


@pytest.mark.parametrize("seconds", [0.0, -1.0, DAY + 1])
def test_more_than_a_day_cannot_be_asked_for(store: Store, seconds: float):
    with pytest.raises(InputError, match="seconds must be"):
        store.history.group_times([("a", "f1")], seconds=seconds)
    with pytest.raises(InputError, match="seconds must be"):
        store.history.lane_answers(seconds=seconds)
