from swather.model.run import NewRun
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from tests.process.given import Yard
from tests.worker.given import wait_until

PLAN = {"CA": 0, "MT": 0, "TX": 1, "WY": 1, "NY": 2}


def test_the_partitions_of_a_worker_killed_for_good_are_served_by_the_others(either_yard: Yard):
    yard = either_yard
    run = yard.store.runs.create(NewRun(scraper="patient")).name
    named = [("CA", 600.0), *((name, 0.01) for name in PLAN for _ in range(5))]
    yard.store.tasks.enqueue(
        run,
        [
            Target(value={"n": n, "log": str(yard.log), "seconds": seconds}, partition=name)
            for n, (name, seconds) in enumerate(named)
        ],
    )
    yard.store.partitions.plan(run, PLAN)
    options = {"concurrency": 2, "lease_seconds": 600.0}
    killed = yard.start(run, "patient", number=0, **options)
    assert yard.wait_for("began-0") == killed.pid
    left = yard.start(run, "patient", number=1, **options)
    wait_until(lambda: len(yard.store.workers.find()) == 2)
    killed.kill()
    yard.store.workers.sweep()
    assert yard.wait_for("began-0", times=2) == left.pid
    yard.store.tasks.cancel(TaskFilter(run=run, task_ids=(yard.tasks(run)[0].id,)))
    assert left.end() == 0
    assert yard.counts(run) == {"completed": 25, "cancelled": 1}
    assert yard.store.runs.counts(run).items == 25
    assert {each.owner for each in yard.store.partitions.find(run)} == {None}
