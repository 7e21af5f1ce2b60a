"""Workers as actors of Ray: what a supervisor sees of them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swather.errors import InputError, MissingExtra
from swather.fleet import ray_cluster, ray_placement
from swather.fleet.placement import End, WorkerEnded
from swather.fleet.pulled_log import PulledLog
from swather.fleet.ray_placement import RayPlacement
from swather.settings_sources import Variable
from tests.fleet.ray_stand_in import Handle, StandIn
from tests.store.given import until

TALKS = "print('hello from', __import__('os').environ['WHO'], flush=True)"
RUNS = f"{TALKS}; __import__('time').sleep(60)"


class Scene:
    def __init__(self, folder: Path, script: str) -> None:
        self.ray = StandIn()
        self.logs = folder / "logs"
        self.placement = RayPlacement(
            self.ray,
            lambda number: ["-c", script, str(number)],
            fleet="books",
            environment={"WHO": "me"},
            new_log=self.new_log,
            cpus=0.25,
            memory_mb=300,
        )
        self.ended: list[WorkerEnded] = []

    def new_log(self, number: int) -> PulledLog:
        return PulledLog(self.logs / f"worker-{number}.log", max_bytes=20, keep=1)

    def start(self, number: int) -> Handle:
        self.placement.start(number)
        return self.ray.handles[-1]

    def until(self, condition: Callable[[], bool]) -> None:
        def looked() -> bool:
            self.ended += self.placement.ended()
            return condition()

        until(looked)

    def log(self, number: int) -> str:
        files = sorted(self.logs.glob(f"worker-{number}.log*"), reverse=True)
        return "".join(path.read_text() for path in files)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Scene]]:
    monkeypatch.setattr(ray_placement, "_LOOK_SECONDS", 0.01)
    scenes: list[Scene] = []

    def make(script: str = RUNS) -> Scene:
        scenes.append(Scene(tmp_path, script))
        return scenes[-1]

    yield make
    for one in scenes:
        one.placement.close()
        for handle in one.ray.handles:
            if handle.actor is not None:
                handle.actor._process.kill()
                handle.actor._process._process.wait()


def test_a_worker_waits_for_room_runs_logs_and_ends(scene):
    it = scene(TALKS)
    handle = it.start(3)
    assert it.placement.ended() == []
    assert it.placement.running() == {3: "waits for room in the Ray cluster"}
    (options,) = it.ray.options
    assert options["name"].startswith("books-3-")
    assert (options["num_cpus"], options["memory"]) == (0.25, 300 << 20)
    assert options["max_restarts"] == -1
    handle.place()
    it.until(lambda: bool(it.ended))
    ((number, end, why, code),) = it.ended
    assert (number, end, code) == (3, End.DONE, 0)
    assert "has finished" in why
    assert it.log(3) == "hello from me\n"
    assert it.placement.running() == {}
    assert handle.is_dead


def test_a_worker_that_ray_starts_elsewhere_still_runs_and_its_log_goes_on(scene):
    it = scene()
    handle = it.start(0)
    handle.place()
    it.until(lambda: "on node" in it.placement.running()[0] and bool(it.log(0)))
    assert "moved" not in it.placement.running()[0]
    lost = handle.actor
    handle.place()
    lost._process.kill()
    lost._process._process.wait()
    it.until(lambda: "moved by Ray once" in it.placement.running()[0])
    it.until(lambda: it.log(0) == "hello from me\n" * 2)
    assert (it.logs / "worker-0.log.1").exists()
    assert it.ended == []


def test_a_stopped_worker_gets_a_signal_and_a_killed_one_is_gone(scene):
    it = scene()
    for number in (0, 1):
        it.start(number).place()
    it.until(lambda: bool(it.log(0)) and bool(it.log(1)))
    it.placement.stop(7)
    it.placement.stop(0)
    it.until(lambda: bool(it.ended))
    assert "SIGTERM" in it.ended[0].why
    it.placement.kill(1)
    it.until(lambda: len(it.ended) == 2)
    assert it.ended[1] == WorkerEnded(1, End.STOPPED, "worker 1 was stopped by force")
    it.start(2)
    it.placement.stop(2)
    it.until(lambda: len(it.ended) == 3)
    assert it.ended[2].end is End.STOPPED
    assert "before it had a place in the cluster" in it.ended[2].why


def test_an_actor_that_dies_is_a_crash_and_one_that_never_was_is_refused(scene):
    it = scene()
    running, never = it.start(0), it.start(1)
    running.place()
    it.until(lambda: "on node" in it.placement.running()[0])
    running.is_dead = never.is_dead = True
    it.until(lambda: len(it.ended) == 2)
    assert [(one.number, one.end, one.code) for one in sorted(it.ended)] == [
        (0, End.CRASHED, 1),
        (1, End.REFUSED, 2),
    ]
    assert "cannot run in the Ray cluster: The actor died. … actor_id: 17" in it.ended[0].why


def test_nodes_name_scrapers_as_in_their_copy_of_the_project(tmp_path: Path):
    (tmp_path / "shops").mkdir()
    specs = ["books.py", f"{tmp_path}/shops/a.py:dutch", "package.module:name", "pages", "a=b.py:c"]
    assert ray_cluster.relative_specs(specs, tmp_path) == [
        "books.py", "shops/a.py:dutch", "package.module:name", "pages",
        "a=b.py:c",
    ]  # fmt: skip
    with pytest.raises(InputError, match="start the fleet in the folder that has it"):
        ray_cluster.relative_specs(["../books.py"], tmp_path)


def test_workers_elsewhere_get_the_variables_that_settings_come_from():
    names = ["SWATHER_RATE", "WORKER_COUNT", "PGPASSWORD", "AWS_REGION", "HOME", "PATH",
             "SWATHER_PARENT_FD"]  # fmt: skip
    found = ray_cluster.passed_on({name: Variable("1", "environment") for name in names})
    assert sorted(found) == ["AWS_REGION", "PGPASSWORD", "SWATHER_RATE", "WORKER_COUNT"]


def test_a_cluster_that_does_not_answer_is_told_at_once(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(ray_cluster, "_imported", StandIn)
    address = "127.0.0.1:1"
    with (
        pytest.raises(InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:1 \(the setting"),
        ray_cluster.joined(address, tmp_path),
    ):
        pass
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(MissingExtra, match="pip install 'swather"),
        ray_cluster.joined(None, tmp_path),
    ):
        pass
