"""The supervisor keeps the wanted number of workers running, without processes and in no time."""

import logging
from itertools import chain
from random import Random

import pytest

from swather.fleet.placement import End, WorkerEnded
from swather.fleet.seat import RestartPolicy, SeatState
from swather.fleet.supervisor import SCALED_SECONDS, Happened, Policy, Supervisor

AT_ONCE = (0.0, 0.0)
HOUR = 3_600.0


class Yard:
    """A placement in which nothing happens by itself."""

    def __init__(self) -> None:
        self.up: dict[int, str] = {}
        self.calls: list[tuple] = []
        self._ended: list[WorkerEnded] = []

    def start(self, number: int) -> None:
        assert number not in self.up
        self.up[number] = f"process {100 + number}"
        self.calls.append(("start", number))

    def running(self) -> dict[int, str]:
        return dict(self.up)

    def ended(self) -> list[WorkerEnded]:
        ended, self._ended = self._ended, []
        return ended

    def stop(self, number: int, *, now: bool = False) -> None:
        self.calls.append(("stop now" if now else "stop", number))

    def kill(self, number: int) -> None:
        self.calls.append(("kill", number))

    def close(self) -> None:
        pass

    def end(self, number: int, end: End = End.STOPPED, code: int = 0) -> None:
        del self.up[number]
        self._ended.append(WorkerEnded(number, end, f"worker {number} {end}", code))

    def taken(self) -> list[tuple]:
        calls, self.calls = self.calls, []
        return calls


class Scene:
    def __init__(self, **policy) -> None:
        self.now = 1_000.0
        self.yard = Yard()
        self.orders = {"wanted": 0, "restarts": 0, "stops": 0}
        self.said: list[Happened] = []
        policy = Policy(**{"stagger_seconds": AT_ONCE, **policy})
        self.supervisor = Supervisor(self.yard, policy, clock=lambda: self.now, random=Random(1))

    def tick(self, seconds: float = 0.0, **orders) -> list[tuple]:
        """What it asks of the placement now, or some time from now."""
        self.now += seconds
        self.orders.update(orders)
        self.said += self.supervisor.tick(**self.orders)
        return self.yard.taken()

    def pass_time(self, seconds: float, step: float = 0.5) -> dict[float, list[tuple]]:
        """The same over a time, by the seconds since its beginning."""
        steps = [step * (number + 1) for number in range(int(seconds / step))]
        return {at: calls for at in steps if (calls := self.tick(step))}

    def states(self) -> list[SeatState]:
        return [standing.state for standing in self.supervisor.standing()]

    def errors(self) -> list[str]:
        return [text for level, text in self.said if level >= logging.ERROR]


def starts(*numbers: int) -> list[tuple]:
    return [("start", number) for number in numbers]


def test_workers_are_started_apart_when_a_fleet_comes_up():
    scene = Scene(stagger_seconds=(2.0, 5.0))
    assert scene.tick(wanted=3) == starts(0)
    started = scene.pass_time(12.0)
    assert list(started.values()) == [starts(1), starts(2)]
    first, second = started
    assert 2.0 <= first <= 5.0
    assert 2.0 <= second - first <= 5.0


def test_workers_that_are_added_later_are_all_there_within_seconds():
    scene = Scene(stagger_seconds=(2.0, 5.0))
    scene.tick(wanted=1)
    first = scene.tick(wanted=8)
    later = scene.pass_time(SCALED_SECONDS, step=0.1)
    assert [*first, *chain.from_iterable(later.values())] == starts(*range(1, 8))
    assert len(later) > 1


def test_those_with_the_highest_numbers_leave_and_may_return():
    scene = Scene()
    scene.tick(wanted=4)
    assert scene.tick(wanted=2) == [("stop", 2), ("stop", 3)]
    scene.yard.end(3)
    assert scene.tick(wanted=4) == starts(3)
    # Worker 2 still finishes its targets; two of a number never work at once.
    assert scene.states()[2] is SeatState.STOPPING
    scene.yard.end(2)
    assert scene.tick() == starts(2)
    assert scene.tick(1.0) == []


def test_one_that_does_not_stop_in_time_is_killed():
    scene = Scene(grace_seconds=30.0)
    scene.tick(wanted=1)
    scene.tick(wanted=0)
    assert scene.tick(29.0) == []
    assert scene.tick(1.0) == [("kill", 0)]


def test_a_fleet_of_none_waits_for_orders():
    scene = Scene()
    scene.tick(wanted=0)
    assert not scene.supervisor.is_over
    assert scene.tick(wanted=1) == starts(0)


def test_a_worker_that_crashes_is_restarted_after_pauses_that_double_and_five_times_an_hour():
    scene = Scene()
    scene.tick(wanted=2)
    pauses = []
    for _ in range(5):
        scene.yard.end(1, End.CRASHED, 1)
        scene.tick()
        ((pause, calls),) = scene.pass_time(17.0).items()
        assert calls == starts(1)
        pauses.append(pause)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0]
    scene.yard.end(1, End.CRASHED, 1)
    assert scene.pass_time(600.0) == {}
    assert scene.states() == [SeatState.RUNNING, SeatState.CRASHING]
    assert not scene.supervisor.is_over
    assert "restarted 5 times" in scene.errors()[0]
    # An hour after the first of the five.
    left = HOUR - 600.0 - 5 * 17.0 + 1.0
    assert list(scene.pass_time(left + 1).values()) == [starts(1)]


def test_a_fleet_whose_workers_have_all_crashed_too_often_is_over():
    scene = Scene(restart=RestartPolicy(restarts=1, window_seconds=float("inf")))
    scene.tick(wanted=2)
    for _ in range(2):
        for number in range(2):
            scene.yard.end(number, End.CRASHED, 1)
        scene.tick()
        scene.tick(1.0)
    assert scene.supervisor.is_over
    assert scene.supervisor.codes == {1}
    assert {standing.due_seconds for standing in scene.supervisor.standing()} == {None}


def test_crashes_that_are_forgiven_do_not_count():
    scene = Scene()
    scene.tick(wanted=1)
    for _ in range(20):
        scene.yard.end(0, End.CRASHED, 1)
        scene.tick()
        scene.supervisor.forgive()
        assert scene.tick(16.0) == starts(0)


@pytest.mark.parametrize(
    ("end", "pause"), [(End.REPLACE, 0.0), (End.AWAY, 2.0)], ids=["asked for", "database away"]
)
def test_some_ends_are_followed_by_a_new_start_as_often_as_it_takes(end, pause):
    scene = Scene()
    scene.tick(wanted=1)
    for _ in range(20):
        scene.yard.end(0, end)
        first = scene.tick()
        assert first + scene.tick(pause) == starts(0)


@pytest.mark.parametrize(("end", "code"), [(End.DONE, 0), (End.REFUSED, 2)])
def test_some_ends_are_final(end, code):
    scene = Scene()
    scene.tick(wanted=2)
    scene.yard.end(0, end, code)
    assert scene.tick() == []
    assert not scene.supervisor.is_over
    scene.yard.end(1, end, code)
    assert scene.tick(HOUR * 2) == []
    assert scene.supervisor.is_over
    assert scene.supervisor.codes == {code}


def test_a_worker_that_somebody_else_has_stopped_is_replaced():
    scene = Scene()
    scene.tick(wanted=1)
    scene.yard.end(0, End.STOPPED)
    scene.tick()
    assert scene.tick(1.0) == starts(0)


def test_a_rolling_restart_replaces_one_worker_after_another():
    scene = Scene(stagger_seconds=(3.0, 3.0))
    scene.tick(wanted=3)
    scene.pass_time(9.0)
    order = []
    calls = scene.tick(restarts=1)
    for _ in range(60):
        order += calls
        for verb, number in calls:
            if verb == "stop":
                scene.yard.end(number)
        calls = scene.tick(0.5)
    assert order == [call for number in range(3) for call in (("stop", number), ("start", number))]
    assert not scene.supervisor.is_rolling
    assert scene.said[-1].text == "all workers were restarted"
    assert scene.tick(60.0) == []


def test_new_code_that_does_not_run_replaces_only_one_worker():
    scene = Scene(stagger_seconds=(3.0, 3.0))
    scene.tick(wanted=3)
    scene.pass_time(9.0)
    assert scene.tick(restarts=1) == [("stop", 0)]
    scene.yard.end(0)
    assert scene.tick() == starts(0)
    scene.yard.end(0, End.REFUSED, 2)
    assert scene.pass_time(60.0) == {}
    assert scene.states() == [SeatState.OVER, SeatState.RUNNING, SeatState.RUNNING]
    assert "the restart ends here, since worker 0" in scene.errors()[-1]
    # Whoever has mended it asks once more, and the first is tried before the others go.
    assert scene.tick(restarts=2) == starts(0)
    assert scene.pass_time(4.0) == {3.0: [("stop", 1)]}


def test_a_restart_gives_those_another_chance_that_crashed_too_often():
    scene = Scene(restart=RestartPolicy(restarts=0))
    scene.tick(wanted=2)
    scene.yard.end(0, End.CRASHED, 1)
    assert scene.tick() == []
    assert scene.tick(restarts=1) == starts(0)


def test_a_stop_lets_targets_finish_the_next_does_not_and_the_third_kills():
    scene = Scene(grace_seconds=30.0, kill_seconds=3.0)
    scene.tick(wanted=2)
    scene.yard.end(1, End.CRASHED, 1)
    scene.tick()
    assert scene.tick(stops=1) == [("stop", 0)]
    assert not scene.supervisor.is_over
    assert scene.tick(10.0) == []
    assert scene.tick(stops=2) == [("stop now", 0)]
    assert scene.tick(3.0) == [("kill", 0)]
    assert scene.tick(stops=3) == [("stop now", 0), ("kill", 0)]
    scene.yard.end(0)
    assert scene.tick() == []
    assert scene.supervisor.is_over


def test_the_standing_says_what_each_worker_does():
    scene = Scene()
    scene.tick(wanted=2)
    scene.yard.end(1, End.CRASHED, 1)
    scene.tick(5.0)
    first, second = scene.supervisor.standing()
    assert (first.number, first.state, first.where) == (0, SeatState.RUNNING, "process 100")
    assert first.since_seconds == 5.0
    assert (second.state, second.where, second.due_seconds) == (SeatState.WAITING, "", 1.0)
    assert (second.crashes, second.why) == (1, "worker 1 crashed")
