import re
import signal

from tests.process.given import Yard


def test_a_loop_that_spins_for_ever_is_ended_by_the_watchdog_and_its_target_runs_alone_then(
    either_yard: Yard,
):
    yard = either_yard
    run = yard.run("act", [*[{"do": "sleep", "seconds": 0.3}] * 2, {"do": "spin"}, *[{}] * 8])
    first = yard.start(run, "act", watchdog_seconds=0.5, concurrency=3)
    assert first.end() == 70
    tasks = yard.tasks(run)
    assert [tasks[n].crashes for n in range(11)] == [0, 0, 1, *[0] * 8]
    assert "blocked its worker past the timeout" in tasks[2].error
    assert yard.start(run, "act", watchdog_seconds=0.5, concurrency=3).end() == 0
    assert yard.counts(run) == {"completed": 10, "failed": 1}
    assert yard.tasks(run)[2].reason == "timeout"


def test_a_target_that_never_lets_go_of_the_interpreter_is_ended_by_the_kernel(yard: Yard):
    run = yard.run("act", [{"do": "hold"}, *[{}] * 10])
    workers = []
    for _ in range(4):
        workers.append(yard.start(run, "act", watchdog_seconds=0.5, concurrency=3))
        if workers[-1].end() == 0:
            break
    assert [worker.end() for worker in workers] == [-signal.SIGVTALRM, -signal.SIGVTALRM, 0]
    assert "scrapers.py" in workers[0].said
    assert yard.counts(run) == {"completed": 10, "failed": 1}
    assert yard.tasks(run)[0].reason == "timeout"


def test_the_watchdog_shows_what_every_thread_was_doing(yard: Yard):
    run = yard.run("act", [{"do": "spin"}])
    worker = yard.start(run, "act", watchdog_seconds=0.2)
    assert worker.end() == 70
    warnings = [line for line in worker.said.splitlines() if "WARNING" in line]
    assert len(warnings) == 1
    assert re.search(r"scrapers\.py:\d+ in \w+ blocks all targets of this worker", warnings[0])
    assert "`def`" in warnings[0]
    assert 'isolation="process"' in warnings[0]
    assert worker.said.count("| thread MainThread:") == 1
    (group,) = yard.store.results.errors(run)
    assert re.fullmatch(r"scrapers\.py:\d+ in \w+", group.where)
    assert yard.counts(run) == {"scheduled": 1}


def test_a_target_that_kills_its_process_every_time_fails_as_crash_and_its_neighbours_complete(
    either_yard: Yard,
):
    run = either_yard.run("act", [*[{}] * 25, {"do": "exit"}, *[{}] * 25])
    codes = [either_yard.start(run, "act", concurrency=3).end() for _ in range(3)]
    assert codes == [9, 9, 0]
    assert either_yard.counts(run) == {"completed": 50, "failed": 1}
    task = either_yard.tasks(run)[25]
    assert task.reason == "crash"
    assert "exit code 9" in task.error
    # Two leases were lost with their workers; all other deaths are of a child that executed it.
    assert task.attempts == task.crashes - 2 >= 3
