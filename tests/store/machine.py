"""A run with workers as a Hypothesis state machine: the store beside a model of it."""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from swather.errors import RunCancelled
from swather.model.lease import Lease
from swather.model.outcome import Item, Verdict
from swather.model.pacing import CoolDownCurve
from swather.model.retry import Faults
from swather.model.run import NewRun, RunState
from swather.model.task import TERMINAL, State, Target
from swather.model.task_filter import TaskFilter
from swather.store import Enqueued, Store
from swather.store.clock import Clock
from tests.store.given import (
    a_worker,
    cancelled,
    claim,
    completed,
    failed,
    finish,
    released,
    retried,
)

# Time moves in fifties and limits lie between them, so the time that a test takes does not matter.
LEASE_SECONDS = 625
DELAY_SECONDS = 325
STEPS = st.sampled_from([50, 250, 800])
LANES = ["", "a", "b"]
picks = st.integers(0, 1_000)


def if_any(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Do nothing while the machine has none of these. As a precondition it would make the choice of
    rules depend on which tasks the store gives out first, and that is the store's own affair.
    """

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        @wraps(verb)
        def checked(machine: Any, *args: Any, **values: Any) -> None:
            if getattr(machine, name):
                verb(machine, *args, **values)

        return checked

    return decorate


class Modelled(msgspec.Struct):
    """A task as it should be."""

    value: int
    lane: str
    state: State
    due: float = 0.0
    faults: Faults = Faults()
    executed: int = 0
    items: int = 0
    outdated: int = 0
    replaces: bool = False


class Held(msgspec.Struct):
    """A lease as it was given, and to whom."""

    lease: Lease
    worker: int


class QueueMachine(RuleBasedStateMachine):
    """One run on a store that earlier examples have used; nothing of theirs may be seen here."""

    def __init__(self, store: Store, clock: Clock) -> None:
        super().__init__()
        self.store = store
        self.clock = clock
        self.run = store.runs.create(NewRun(scraper="books")).name
        self.tasks: dict[int, Modelled] = {}
        self.held: dict[int, Held] = {}
        self.stale: list[Held] = []
        self.beats: dict[int, float] = {}
        self.state = RunState.OPEN
        self.finished = 0
        self.paused = False
        self.paused_lanes: set[str] = set()
        self.cooling: dict[str, float] = {}
        self.probes: dict[str, float] = {}
        self.last_token = 0

    @property
    def now(self) -> float:
        return self.clock.offset_seconds

    def lane(self, name: str) -> str:
        """Lanes belong to the whole database, so each example has its own."""
        return f"{self.run}/{name}" if name else ""

    def may_claim(self, worker: int) -> bool:
        return worker in self.beats and self.now - self.beats[worker] < LEASE_SECONDS

    def waiting(self) -> list[int]:
        """Tasks that may be given out now."""
        if self.paused or self.state is not RunState.OPEN:
            return []
        return [
            task_id
            for task_id, task in self.tasks.items()
            if task.lane not in self.paused_lanes
            and self.cooling.get(task.lane, 0.0) <= self.now
            and (
                task.state is State.READY
                or (task.state is State.SCHEDULED and task.due <= self.now)
            )
        ]

    def may_start(self) -> int:
        """How many of those waiting may be given out together."""
        lanes = Counter(self.tasks[task_id].lane for task_id in self.waiting())
        flying = {self.tasks[task_id].lane for task_id in self.held}
        for lane, probe_at in self.probes.items():
            lanes[lane] = min(lanes[lane], probe_at <= self.now and lane not in flying)
        return lanes.total()

    def lose(self, task_id: int) -> None:
        self.stale.append(self.held.pop(task_id))

    def only(self, task_id: int) -> TaskFilter:
        return TaskFilter(run=self.run, task_ids=(task_id,))

    def a_task(self, pick: int) -> int:
        return sorted(self.tasks)[pick % len(self.tasks)]

    def a_held(self, pick: int) -> Held:
        return self.held[sorted(self.held)[pick % len(self.held)]]

    def a_worker(self, pick: int) -> int:
        return sorted(self.beats)[pick % len(self.beats)]

    def add(self, task_id: int, target: Target, lane: str) -> None:
        due = self.now + target.due_in_seconds
        state = State.SCHEDULED if target.due_in_seconds else State.READY
        self.tasks[task_id] = Modelled(target.value, lane, state, due)

    @initialize(values=st.lists(st.integers(0, 30), min_size=3, max_size=8))
    def begin(self, values: list[int]) -> None:
        """With work and workers from the start, so that short orders get somewhere."""
        self.register()
        self.register()
        self.enqueue(values[:3], "", 0, 5)
        self.enqueue(values[3:], "a", 0, 7)
        self.claim(0, 3)

    @rule(
        values=st.lists(st.integers(0, 30), max_size=5),
        lane=st.sampled_from(LANES),
        delay=st.sampled_from([0, 0, DELAY_SECONDS]),
        priority=st.integers(1, 10),
    )
    def enqueue(self, values: list[int], lane: str, delay: float, priority: int) -> None:
        given = [
            Target(value=value, lane=self.lane(lane), due_in_seconds=delay, priority=priority)
            for value in values
        ]
        if self.state is RunState.CANCELLED:
            if given:
                with pytest.raises(RunCancelled):
                    self.store.tasks.enqueue(self.run, given)
            return
        known = {task.value for task in self.tasks.values()}
        new = {target.value: target for target in given if target.value not in known}
        added = self.store.tasks.enqueue(self.run, given)
        assert added == Enqueued(len(new), len(given) - len(new))
        before = max(self.tasks, default=0)
        for task in self.store.tasks.find(TaskFilter(run=self.run), after_id=before):
            self.add(task.id, new.pop(task.target), lane)
            self.state = RunState.OPEN
        assert new == {}

    @precondition(lambda self: len(self.beats) < 3)
    @rule()
    def register(self) -> None:
        self.beats[a_worker(self.store, lease_seconds=LEASE_SECONDS)] = self.now

    @rule(pick=picks, count=st.integers(1, 4))
    @if_any("beats")
    def claim(self, pick: int, count: int) -> None:
        worker = self.a_worker(pick)
        may = self.waiting() if self.may_claim(worker) else []
        expected = min(count, self.may_start()) if may else 0
        leases = claim(self.store, worker, count, runs=(self.run,))
        assert len(leases) == expected
        assert {lease.task_id for lease in leases} <= set(may)
        for lease in leases:
            task = self.tasks[lease.task_id]
            assert lease.target == task.value
            assert lease.faults == task.faults
            assert lease.token > self.last_token
            task.state = State.LEASED
            self.held[lease.task_id] = Held(lease, worker)
            if task.lane in self.probes:
                self.probes[task.lane] = self.now + DELAY_SECONDS
        self.last_token = max([self.last_token, *(lease.token for lease in leases)])

    @rule(pick=picks)
    @if_any("beats")
    def claim_one(self, pick: int) -> None:
        self.claim(pick, 1)

    @rule(pick=picks, forgotten=st.booleans(), stale=picks)
    @if_any("beats")
    def beat(self, pick: int, forgotten: bool, stale: int) -> None:
        worker = self.a_worker(pick)
        mine = sorted(task for task, held in self.held.items() if held.worker == worker)
        strangers = mine[:1] if forgotten else []
        believed = {self.held[task].lease.fence for task in mine if task not in strangers}
        old = {held.lease.fence for held in self.stale[-(stale % 3) :]} if stale % 3 else set()
        answer = self.store.workers.beat(worker, believed | old)
        assert answer.alive
        assert answer.lost == old
        assert answer.released == len(strangers)
        self.beats[worker] = self.now
        for task in strangers:
            self.tasks[task].state = State.READY
            self.lose(task)

    @rule(seconds=STEPS)
    def expire(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.store.workers.sweep()
        lost = {w for w, beat in self.beats.items() if self.now - beat >= LEASE_SECONDS}
        for task_id, held in list(self.held.items()):
            if held.worker in lost:
                task = self.tasks[task_id]
                task.state = State.READY
                task.faults = msgspec.structs.replace(task.faults, crashes=task.faults.crashes + 1)
                self.lose(task_id)
        for worker in lost:
            del self.beats[worker]
            assert not self.store.workers.beat(worker, []).alive
        for task in self.tasks.values():
            if task.state is State.SCHEDULED and task.due <= self.now:
                task.state = State.READY

    @rule(
        pick=picks,
        items=st.integers(0, 3),
        child=st.none() | st.integers(0, 40),
        lane=st.sampled_from(LANES),
    )
    @if_any("held")
    def complete(self, pick: int, items: int, child: int | None, lane: str) -> None:
        lease = self.a_held(pick).lease
        known = {task.value: task_id for task_id, task in self.tasks.items()}
        children = [] if child is None else [Target(value=child, lane=self.lane(lane))]
        outcome = completed(lease, *range(items), children=children, part=lease.part)
        self.accept(outcome, State.COMPLETED)
        task = self.tasks[lease.task_id]
        if task.replaces:
            task.items = task.outdated = 0
        task.items += items
        task.replaces = False
        if child is not None and child not in known:
            found = self.store.tasks.find(TaskFilter(run=self.run), limit=1_000)
            (new,) = [task for task in found if task.target == child]
            self.add(new.id, children[0], lane)

    @rule(pick=picks, delay=st.sampled_from([0, DELAY_SECONDS]))
    @if_any("held")
    def retry(self, pick: int, delay: float) -> None:
        lease = self.a_held(pick).lease
        self.accept(retried(lease, delay), State.SCHEDULED if delay else State.READY)
        self.tasks[lease.task_id].due = self.now + delay
        self.blame(lease.task_id)

    @rule(pick=picks)
    @if_any("held")
    def fail(self, pick: int) -> None:
        lease = self.a_held(pick).lease
        self.accept(failed(lease), State.FAILED)
        self.blame(lease.task_id)
        task = self.tasks[lease.task_id]
        if task.replaces:
            task.outdated, task.items = task.outdated + task.items, 0

    @rule(pick=picks)
    @if_any("held")
    def release(self, pick: int) -> None:
        self.accept(released(self.a_held(pick).lease), State.READY)

    @rule(pick=picks)
    @if_any("held")
    def cancel_attempt(self, pick: int) -> None:
        self.accept(cancelled(self.a_held(pick).lease), State.CANCELLED)

    def blame(self, task_id: int) -> None:
        task = self.tasks[task_id]
        task.faults = msgspec.structs.replace(task.faults, attempts=task.faults.attempts + 1)
        task.executed += 1

    def accept(self, outcome: Any, state: State) -> None:
        assert finish(self.store, outcome) == [Verdict.ACCEPTED]
        self.tasks[outcome.task_id].state = state
        if state is State.COMPLETED:
            self.tasks[outcome.task_id].executed += 1
        self.lose(outcome.task_id)

    @rule(pick=picks, progress=st.integers())
    @if_any("held")
    def report_progress(self, pick: int, progress: int) -> None:
        lease = self.a_held(pick).lease
        progress %= 1_000_000
        assert self.store.queue.progress(lease.fence, progress) is Verdict.ACCEPTED
        assert self.store.tasks.get(lease.task_id).progress == progress

    @rule(pick=picks, verb=st.integers(0, 6))
    @if_any("stale")
    def write_with_a_stale_token(self, pick: int, verb: int) -> None:
        lease = self.stale[pick % len(self.stale)].lease
        queue = self.store.queue
        writes = [
            lambda: finish(self.store, completed(lease, "stale")) == [Verdict.STALE],
            lambda: finish(self.store, retried(lease)) == [Verdict.STALE],
            lambda: finish(self.store, failed(lease)) == [Verdict.STALE],
            lambda: finish(self.store, released(lease)) == [Verdict.STALE],
            lambda: queue.progress(lease.fence, "stale") is Verdict.STALE,
            lambda: (
                queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("stale")])
                is Verdict.STALE
            ),
            lambda: queue.permits(lease.fence, self.lane("a"), 1).granted == 0,
        ]
        assert writes[verb]()

    @rule(pick=picks)
    @if_any("tasks")
    def cancel(self, pick: int) -> None:
        task_id = self.a_task(pick)
        task = self.tasks[task_id]
        ends = task.state not in TERMINAL
        assert self.store.tasks.cancel(self.only(task_id)) == ends
        if task_id in self.held:
            self.lose(task_id)
        if ends:
            task.state = State.CANCELLED

    @rule()
    def cancel_run(self) -> None:
        running = [task for task in self.tasks.values() if task.state not in TERMINAL]
        assert self.store.runs.cancel(self.run) == len(running)
        for task_id in list(self.held):
            self.lose(task_id)
        for task in running:
            task.state = State.CANCELLED
        if self.state is RunState.OPEN:
            self.state = RunState.CANCELLED

    @rule(pick=picks)
    @if_any("tasks")
    def retry_by_person(self, pick: int) -> None:
        task_id = self.a_task(pick)
        task = self.tasks[task_id]
        ended = task.state in TERMINAL
        assert self.store.tasks.retry(self.only(task_id)) == ended
        if ended:
            task.replaces = task.replaces or task.state is State.COMPLETED
            task.state, task.faults = State.READY, Faults()
            self.state = RunState.OPEN

    @rule()
    def toggle_run(self) -> None:
        self.paused = not self.paused
        (self.store.runs.pause if self.paused else self.store.runs.unpause)(self.run)

    @rule(lane=st.sampled_from(LANES[1:]))
    def toggle_lane(self, lane: str) -> None:
        if lane in self.paused_lanes:
            self.paused_lanes.remove(lane)
            self.cooling.pop(lane, None)
            self.store.lanes.unpause(self.lane(lane))
        else:
            self.paused_lanes.add(lane)
            self.store.lanes.pause(self.lane(lane))

    @rule(lane=st.sampled_from(LANES[1:]))
    def strike_lane(self, lane: str) -> None:
        self.store.lanes.strike(
            self.lane(lane), retry_after_seconds=DELAY_SECONDS, reason="429", curve=CoolDownCurve()
        )
        self.cooling[lane] = self.now + DELAY_SECONDS

    @rule(lane=st.sampled_from(LANES[1:]))
    def trip_breaker(self, lane: str) -> None:
        self.store.breakers.trip("books", self.lane(lane), seen={}, probe_seconds=DELAY_SECONDS)
        self.probes[lane] = self.now + DELAY_SECONDS

    @rule(lane=st.sampled_from(LANES[1:]))
    def close_breaker(self, lane: str) -> None:
        was_open = self.probes.pop(lane, None) is not None
        assert self.store.breakers.close("books", self.lane(lane)) == was_open

    @rule(lane=st.sampled_from(LANES[1:]))
    def clear_lane(self, lane: str) -> None:
        self.store.lanes.clear(self.lane(lane))
        self.paused_lanes.discard(lane)
        self.cooling.pop(lane, None)
        self.probes.pop(lane, None)

    @rule()
    def settle(self) -> None:
        done = all(task.state in TERMINAL for task in self.tasks.values())
        finishes = done and self.state is RunState.OPEN
        assert self.store.runs.settle(self.run) == finishes
        if finishes:
            self.state = RunState.FINISHED
            self.finished += 1

    @invariant()
    def counts_equal_the_model(self) -> None:
        counts = self.store.runs.counts(self.run)
        expected = Counter(task.state for task in self.tasks.values())
        for state in (State.LEASED, *TERMINAL):
            assert getattr(counts, state) == expected[state], state
        assert counts.waiting == expected[State.READY] + expected[State.SCHEDULED]
        assert counts.ready >= expected[State.READY]
        assert counts.items == sum(task.items for task in self.tasks.values())
        assert counts.outdated == sum(task.outdated for task in self.tasks.values())
        assert sum(counts.reasons.values()) == counts.done

    @invariant()
    def every_task_is_where_the_model_has_it(self) -> None:
        found = self.store.tasks.find(TaskFilter(run=self.run), limit=1_000)
        assert [task.id for task in found] == sorted(self.tasks)
        for task in found:
            expected = self.tasks[task.id]
            if expected.state is State.SCHEDULED and expected.due <= self.now:
                assert task.state in (State.SCHEDULED, State.READY)
            else:
                assert task.state is expected.state
            assert task.attempts == expected.executed

    @invariant()
    def the_run_is_as_the_model_has_it(self) -> None:
        run = self.store.runs.get(self.run)
        assert (run.state, run.times_finished) == (self.state, self.finished)

    def teardown(self) -> None:
        assert self.store.upkeep.check() == []
        for worker in self.beats:
            self.store.workers.retire(worker)
