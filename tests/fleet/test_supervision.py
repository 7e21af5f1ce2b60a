"""The supervisor's process obeys its row in the database, and signs off."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from swather import posix
from swather.errors import DatabaseUnreachable
from swather.fleet import supervision, supervisor_thread
from swather.fleet.fleet_logs import FleetLogs
from swather.fleet.fleet_view import FleetView
from swather.fleet.fleet_watch import FleetSnapshot, FleetWatch
from swather.fleet.placement import End, WorkerEnded
from swather.fleet.supervision import Supervision
from swather.fleet.supervisor import Policy
from swather.model.supervisor import NewSupervisor, SupervisorState
from swather.model.worker import NewWorker
from swather.settings import Settings
from swather.store import Store
from tests.store.given import a_run, claim, completed, finish
from tests.worker.given import wait_until


class Obedient:
    """A placement whose workers do at once what they are told."""

    def __init__(self) -> None:
        self.up: set[int] = set()
        self.starts = 0
        self._ended: list[WorkerEnded] = []

    def start(self, number: int) -> None:
        self.starts += 1
        self.up.add(number)

    def running(self) -> dict[int, str]:
        return {number: f"process {number}" for number in self.up}

    def ended(self) -> list[WorkerEnded]:
        ended, self._ended = self._ended, []
        return ended

    def stop(self, number: int, *, now: bool = False) -> None:
        self.end(number, End.STOPPED)

    def kill(self, number: int) -> None:
        self.end(number, End.CRASHED)

    def close(self) -> None:
        self.up.clear()

    def end(self, number: int, end: End) -> None:
        self.up.discard(number)
        self._ended.append(WorkerEnded(number, end, f"worker {number} {end}"))


class Noted(FleetView):
    def __init__(self) -> None:
        self.said: list[str] = []
        self.shown: list[FleetSnapshot] = []

    @property
    def is_due(self) -> bool:
        return True

    def say(self, line: str) -> None:
        self.said.append(line)

    def show(self, snapshot: FleetSnapshot) -> None:
        self.shown.append(snapshot)


class Scene:
    """A supervision in this thread, and what another one does meanwhile."""

    def __init__(self, store: Store, folder: Path, **fields) -> None:
        self.placement, self.view = Obedient(), Noted()
        process = posix.this_process()
        new = NewSupervisor(process=process, name="barn", **{"wanted": 2, **fields})
        self.id = store.supervisors.register(new)
        since = store.supervisors.get(self.id).registered_at
        self.watch = FleetWatch(store, "barn", None, since)
        self._logs = FleetLogs(folder, Settings())
        policy = Policy(stagger_seconds=(0.0, 0.0))
        self.supervision = Supervision(
            store, self.id, new, self.placement, policy, self._logs, self.watch, self.view
        )

    def play(self, meanwhile: Callable[[], None]) -> None:
        failed: list[BaseException] = []

        def act() -> None:
            try:
                meanwhile()
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append(error)
                self.supervision._workers.stop(3)

        thread = threading.Thread(target=act)
        with self._logs:
            thread.start()
            self.supervision.until_it_ends()
        thread.join()
        if failed:
            raise failed[0]

    def wait_for(self, workers: int) -> None:
        wait_until(lambda: self.placement.up == set(range(workers)))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "BEAT_SECONDS", 0.01)
    monkeypatch.setattr(supervision, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(supervisor_thread, "_FAILED_SECONDS", 0.01)


def test_the_last_order_holds_be_it_of_a_person_or_the_setting(
    store: Store, other: Store, tmp_path: Path
):
    store.settings.set("workers", 7)
    scene = Scene(store, tmp_path)

    def meanwhile() -> None:
        # What the row said before is no order: --workers was given after it.
        scene.wait_for(2)
        other.supervisors.set_wanted(scene.id, 4)
        scene.wait_for(4)
        other.settings.set("max_workers", 6)
        other.settings.set("workers", 3)
        scene.wait_for(3)
        other.settings.set("concurrency", 5)
        other.supervisors.set_wanted(scene.id, 1)
        scene.wait_for(1)
        other.settings.set("max_workers", "many")
        other.settings.unset("workers")
        starts = scene.placement.starts
        other.supervisors.ask_restart(scene.id)
        wait_until(lambda: scene.placement.starts > starts)
        wait_until(lambda: other.supervisors.get(scene.id).said["workers"][0]["where"])
        other.supervisors.ask_stop(scene.id)

    scene.play(meanwhile)
    row = store.supervisors.get(scene.id)
    assert row.state is SupervisorState.RETIRED
    assert row.wanted == 1
    assert scene.supervision.is_stopped
    assert not scene.supervision.is_interrupted
    log = (tmp_path / "supervisor.log").read_text()
    assert "wanted workers: 4 instead of 2" in log
    assert "asked to stop" in log
    assert "Fleet barn was up" in log
    assert row.said["totals"][0].startswith("Fleet barn was up")


def test_the_setting_bounds_a_fleet_that_scales_itself(store: Store, other: Store, tmp_path: Path):
    scene = Scene(store, tmp_path, minimum=2, maximum=9)

    def meanwhile() -> None:
        scene.wait_for(2)
        other.settings.set("workers", 1)
        wait_until(lambda: other.supervisors.get(scene.id).maximum == 1)
        other.supervisors.ask_stop(scene.id, now=True)

    scene.play(meanwhile)
    row = store.supervisors.get(scene.id)
    assert (row.wanted, row.minimum, row.maximum) == (2, 1, 1)


def test_one_whose_place_was_taken_stops(store: Store, other: Store, tmp_path: Path):
    scene = Scene(store, tmp_path)

    def meanwhile() -> None:
        scene.wait_for(2)
        other.supervisors.retire(scene.id)

    scene.play(meanwhile)
    assert scene.supervision.is_interrupted
    assert scene.placement.up == set()
    assert any("has taken over" in line for line in scene.view.said)


def test_workers_keep_running_while_the_database_is_away(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    scene = Scene(store, tmp_path)
    beat, calls = store.supervisors.beat, []

    def failing(*arguments):
        calls.append(arguments)
        if 3 < len(calls) < 10:
            raise DatabaseUnreachable("the server is away")
        return beat(*arguments)

    monkeypatch.setattr(store.supervisors, "beat", failing)

    def meanwhile() -> None:
        wait_until(lambda: len(calls) > 12)
        assert scene.placement.up == {0, 1}
        assert scene.placement.starts == 2
        other.supervisors.ask_stop(scene.id)

    scene.play(meanwhile)
    assert store.supervisors.get(scene.id).state is SupervisorState.RETIRED


def test_the_totals_are_those_of_the_database(store: Store, other: Store, tmp_path: Path):
    before = a_run(store, 5)
    first = store.workers.register(NewWorker(process=posix.this_process(), name="elsewhere-0"))
    finish(store, *(completed(lease) for lease in claim(store, first, 2)))
    scene = Scene(store, tmp_path)
    mine = store.workers.register(NewWorker(process=posix.this_process(), name="barn-0"))
    finish(store, *(completed(lease) for lease in claim(store, mine, 3)))
    store.workers.tell(mine, {"completed": 3, "failed": 0, "retried": 1})
    store.workers.retire(mine)
    again = store.workers.register(NewWorker(process=posix.this_process(), name="barn-0"))
    store.workers.tell(again, {"completed": 4})
    later = a_run(store, 1, name="later")

    def meanwhile() -> None:
        scene.wait_for(2)
        other.supervisors.ask_stop(scene.id)

    scene.play(meanwhile)
    totals = scene.supervision.totals
    assert totals is not None
    assert [(run.run, run.completed, run.done, run.total) for run in totals.runs] == [
        (before, 3, 5, 5),
        (later, 0, 0, 1),
    ]
    assert [
        (each.number, each.starts, each.completed, each.retried) for each in totals.workers
    ] == [(0, 2, 7, 1)]
    assert "Worker 0: 7 completed, 0 failed, 1 to be retried, started 2 times." in totals.lines()


def test_no_fault_around_it_ends_a_supervisor(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    gone = a_run(store, 1, name="gone")
    scene = Scene(store, tmp_path)
    monkeypatch.setattr(scene.view, "show", lambda snapshot: 1 / 0)
    starts, start = [], scene.placement.start

    def fails_once(number: int) -> None:
        starts.append(number)
        if len(starts) == 1:
            raise RuntimeError("the cluster is away")
        start(number)

    monkeypatch.setattr(scene.placement, "start", fails_once)

    def meanwhile() -> None:
        scene.wait_for(2)
        other.runs.cancel(gone)
        other.runs.remove(gone)
        wait_until(lambda: "ZeroDivisionError" in (tmp_path / "supervisor.log").read_text())
        other.supervisors.ask_stop(scene.id)

    scene.play(meanwhile)
    assert store.supervisors.get(scene.id).state is SupervisorState.RETIRED
    assert "the cluster is away" in (tmp_path / "supervisor.log").read_text()
