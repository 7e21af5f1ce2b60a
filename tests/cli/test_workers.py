"""`swather workers` and `pause --worker`, on a database and through a server."""

from collections.abc import Iterator

import pytest

import swather.store
from swather.model.worker import Leaving
from swather.runs import worker_changes
from swather.store import Store
from tests.cli.conftest import Swather, done
from tests.store.given import a_producer, a_run, a_worker


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = swather.store.open(database)
    yield opened
    opened.close()


@pytest.fixture(params=["database", "server"])
def where(request: pytest.FixtureRequest, store: Store) -> tuple[str, str]:
    if request.param == "database":
        return "--db", store.url
    return "--server", request.getfixturevalue("server")


@pytest.mark.parametrize(
    ("leaving", "command"),
    [
        (Leaving.DRAIN, ("workers", "unpause", "barn-0")),
        (Leaving.DRAIN, ("workers", "pause", "barn-0")),
        (Leaving.DRAIN, ("unpause", "--worker", "barn-0")),
        (Leaving.DRAIN, ("pause", "--worker", "barn-0")),
        (Leaving.STOP, ("workers", "drain", "barn-0")),
        (Leaving.STOP, ("workers", "unpause", "barn-0")),
    ],
)
def test_nobody_is_told_that_a_leaving_worker_obeys(
    swather: Swather,
    store: Store,
    where: tuple[str, str],
    leaving: Leaving,
    command: tuple[str, ...],
):
    store.workers.leave(a_worker(store, name="barn-0"), leaving)
    said = swather(*command, *where)
    assert (said.code, said.out) == (2, "")
    mode = "draining" if leaving is Leaving.DRAIN else "stopping"
    assert f"worker barn-0 is {mode} and cannot be called back; it exits " in said.err


def test_a_worker_that_drains_can_be_stopped(
    swather: Swather, store: Store, where: tuple[str, str]
):
    worker = a_worker(store, name="barn-0")
    assert done(swather, "workers", "drain", "barn-0", *where).out == (
        "worker barn-0 finishes its running targets and exits\n"
    )
    assert done(swather, "workers", "stop", "barn-0", *where).out == (
        "worker barn-0 gives its targets back and exits\n"
    )
    assert store.workers.get(worker).leaving is Leaving.STOP


def test_of_several_workers_those_that_obey_are_told(
    swather: Swather, store: Store, where: tuple[str, str]
):
    for number in range(3):
        worker = a_worker(store, name=f"barn-{number}")
        store.workers.pause(worker)
        if number == 1:
            store.workers.leave(worker, Leaving.DRAIN)
    names = ("barn-0", "barn-1", "barn-2")
    said = swather("workers", "unpause", *names, *where, "--json")
    assert (said.code, said.data["workers"]) == (2, ["barn-0", "barn-2"])
    assert "worker barn-1 is draining" in said.error["message"]
    said = swather("pause", "--worker", "barn-0", "--worker", "barn-1", *where)
    assert (said.code, said.out) == (2, "worker barn-0 is paused\n")
    assert "worker barn-1 is draining" in said.err


def test_a_worker_that_ends_meanwhile_is_named_and_the_others_are_changed(
    swather: Swather, store: Store, where: tuple[str, str], monkeypatch: pytest.MonkeyPatch
):
    named = worker_changes.workers_named

    def then_one_ends(store: Store, name: str):
        found = named(store, name)
        if name == "barn-1":
            store.workers.retire(found[0].id)
        return found

    for number in range(3):
        a_worker(store, name=f"barn-{number}")
    monkeypatch.setattr(worker_changes, "workers_named", then_one_ends)
    said = swather("workers", "drain", "barn-0", "barn-1", "barn-2", *where)
    assert said.code == 2
    assert said.out == (
        "worker barn-0 finishes its running targets and exits\n"
        "worker barn-2 finishes its running targets and exits\n"
    )
    assert "worker barn-1 has ended; `swather workers` lists those that are running" in said.err


@pytest.mark.parametrize(
    "command",
    [
        ("workers", "drain"),
        ("workers", "pause"),
        ("workers", "stop"),
        ("pause", "--worker"),
    ],
)
def test_who_loads_targets_is_no_worker(
    swather: Swather, store: Store, where: tuple[str, str], command: tuple[str, ...]
):
    loading = a_producer(store, a_run(store), name="loader")
    a_worker(store, name="barn-0")
    said = swather(*command, "loader", *where)
    assert (said.code, said.out) == (2, "")
    assert said.err == "error: no worker 'loader' is running; there are: barn-0\n"
    producer = store.workers.get(loading)
    assert (producer.paused, producer.leaving) == (False, None)
