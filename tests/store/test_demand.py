"""What open runs could use workers for: the views of autoscalers, the same on both databases."""

from swather.model.lane import PacedKind
from swather.model.pacing import Limits
from swather.model.run import NewRun
from swather.model.scaling import RunDemand, ScalingPolicy, total, useful
from swather.store import Store
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish, retried, targets

FOUR = Limits(in_flight=4)


def demand(store: Store, run: str) -> tuple[int, int, int | None]:
    (found,) = [each for each in store.runs.demand() if each.run == run]
    return found.backlog, found.usable_slots, found.partitions


def wanted(database: Database) -> int:
    ((number,),) = database.rows("SELECT wanted FROM v_fleet_wanted")
    return int(number)


def test_the_backlog_is_what_is_ready_running_or_due_within_a_minute(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    one, two, three, _ = claim(store, worker, 4)
    finish(store, completed(one), retried(two, 30), retried(three, 3_600))
    assert demand(store, run) == (3, 3, None)
    store.runs.pause(run)
    assert demand(store, run) == (1, 1, None)
    store.runs.cancel(run)
    assert store.runs.demand() == []


def test_the_limits_of_lanes_bound_what_can_run_at_once(store: Store):
    run = a_run(store, 20, lane="a.com", lane_limits=FOUR)
    assert demand(store, run) == (20, 4, None)
    store.tasks.enqueue(run, targets(range(20, 50), lane="b.com"))
    store.tasks.enqueue(run, targets(["no lane", "nor this"]))
    assert demand(store, run) == (52, 10, None)
    store.lanes.limit("b.com", Limits(in_flight=3))
    assert demand(store, run) == (52, 9, None)
    store.lanes.limit("b.com", Limits(in_flight=7), overrides=True)
    assert demand(store, run) == (52, 13, None)
    store.lanes.pause("b.com")
    store.lanes.cool("a.com", 3_600)
    assert demand(store, run) == (52, 2, None)
    store.lanes.unpause("b.com")
    store.breakers.trip("books", "b.com", seen={}, probe_seconds=60)
    assert demand(store, run) == (52, 3, None)


def test_a_rate_can_use_as_many_slots_as_tasks_take_time(store: Store):
    run = a_run(store, 500, lane="a.com", lane_limits=Limits(every_seconds=0.2))
    # As long as no worker tells how long a task takes: a second, and half as much again.
    assert demand(store, run) == (500, 8, None)
    worker = a_worker(store)
    store.workers.tell(worker, {"average_seconds": 10.0})
    assert demand(store, run) == (500, 75, None)
    store.runs.set_egresses(run, 3)
    assert demand(store, run) == (500, 225, None)


def test_runs_share_the_limits_of_their_lanes_and_their_scraper(store: Store):
    first = a_run(store, 3, lane="a.com", lane_limits=FOUR)
    second = a_run(store, 10, lane="a.com", lane_limits=Limits(in_flight=9))
    assert demand(store, first) == (3, 3, None)
    assert demand(store, second) == (10, 1, None)
    store.lanes.limit("books", Limits(in_flight=2), PacedKind.SCRAPER)
    assert [each.usable_slots for each in store.runs.demand()] == [2, 0]


def test_a_default_rate_bounds_only_hosts_of_the_public_web(store: Store):
    limits = Limits(every_seconds=0.5, public_only=True)
    run = store.runs.create(NewRun(scraper="books", lane_limits=limits)).name
    store.tasks.enqueue(run, targets(range(50), lane="127.0.0.1"))
    assert demand(store, run) == (50, 50, None)
    store.tasks.enqueue(run, targets(range(50, 100), lane="example.com"))
    assert demand(store, run) == (100, 53, None)


def test_partitions_bound_the_workers_of_a_run_that_has_only_these(store: Store):
    run = a_run(store)
    store.tasks.enqueue(run, targets(range(30), partition="CA"))
    store.tasks.enqueue(run, targets(range(30, 40), partition="TX"))
    assert demand(store, run) == (40, 40, 2)
    store.tasks.enqueue(run, targets(["anywhere"]))
    assert demand(store, run) == (41, 41, None)


def test_more_tasks_or_lanes_than_are_counted_do_not_bound_a_run(store: Store):
    run = a_run(store, 2_500)
    assert demand(store, run) == (2_500, 2_500, None)
    wide = a_run(store, lane_limits=Limits(in_flight=1))
    lanes = [f"{number}.com" for number in range(510)]
    store.tasks.enqueue(
        wide, [one for lane in lanes for one in targets([lane, lane + "/2"], lane=lane)]
    )
    assert demand(store, wide) == (1_020, 1_020, None)


def test_the_view_wants_what_the_rule_finds_useful(store: Store, database: Database):
    def rule(**fields: int) -> int:
        return useful(total(store.runs.demand()), ScalingPolicy(**fields)).number

    assert wanted(database) == rule() == 0
    run = a_run(store, 2_001)
    assert wanted(database) == rule() == 3
    store.settings.set("tasks_per_worker", 100)
    assert wanted(database) == rule(tasks_per_worker=100) == 21
    store.settings.set("concurrency", 1_000)
    assert wanted(database) == rule(tasks_per_worker=100, slots_per_worker=1_000) == 3
    store.runs.pause(run)
    other = a_run(store)
    store.tasks.enqueue(other, targets(range(500), partition="CA"))
    assert wanted(database) == rule(tasks_per_worker=100) == 1
    assert store.runs.demand()[0] == RunDemand(run=run, scraper="books", backlog=0, usable_slots=0)
