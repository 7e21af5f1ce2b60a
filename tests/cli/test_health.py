"""`swather health`: what a container's health check sees."""

import msgspec
import pytest

from swather import posix
from swather.model.worker import NewWorker
from swather.settings import Settings
from swather.store import open as open_store
from swather.web.dashboard import Dashboard
from tests.cli.conftest import Swather, done


def test_a_worker_of_this_machine_makes_it_healthy_and_no_other(swather: Swather, database: str):
    done(swather, "db", "init", "--db", database)
    store = open_store(database)
    here = posix.this_process()
    for elsewhere in ({"host": "other"}, {"namespace": "pid:[1]"}, {"boot_id": "before"}):
        store.workers.register(NewWorker(process=msgspec.structs.replace(here, **elsewhere)))
    said = swather("health", "--db", database)
    assert (said.code, said.out) == (1, "no worker is alive on this machine\n")
    worker = store.workers.register(NewWorker(process=here, name="anna"))
    said = done(swather, "health", "--db", database)
    assert said.out == "anna is alive; it last said so 0 s ago\n"
    (told,) = done(swather, "health", "--db", database, "--json").data
    assert (told["worker"], told["worker_id"], told["alive"]) == ("anna", worker, True)
    store.workers.retire(worker)
    assert swather("health", "--db", database, "--json").data == []
    store.close()


def test_a_worker_that_is_silent_past_its_lease_is_not_alive(swather: Swather, database: str):
    lease_seconds = 0.01
    done(swather, "db", "init", "--db", database)
    store = open_store(database)
    new = NewWorker(process=posix.this_process(), name="anna", lease_seconds=lease_seconds)
    worker = store.workers.register(new)
    while store.workers.get(worker).silent_seconds < lease_seconds:
        pass
    said = swather("health", "--db", database)
    assert (said.code, said.out.startswith("anna is silent;")) == (1, True)
    store.close()


def test_a_database_that_is_away_is_told_apart(swather: Swather):
    assert swather("health", "--db", "postgresql://me@127.0.0.1:1/none").code == 3


@pytest.mark.slow
def test_a_server_of_this_machine_is_asked_whether_it_answers(
    swather: Swather, database: str, monkeypatch: pytest.MonkeyPatch
):
    done(swather, "db", "init", "--db", database)
    monkeypatch.setenv("SWATHER_API_TOKEN", "a" * 20)
    monkeypatch.setenv("SWATHER_API_READ_TOKEN", "r" * 20)
    settings = Settings(db=database, api_port=0)
    with Dashboard(settings) as dashboard:
        port = dashboard.address.rpartition(":")[2]
        monkeypatch.setenv("SWATHER_API_PORT", port)
        with dashboard.serving():
            said = done(swather, "health", "--api")
            assert said.out == f"http://127.0.0.1:{port} answers\n"
    said = swather("health", "--api", "--json")
    assert (said.code, said.data["alive"]) == (1, False)
