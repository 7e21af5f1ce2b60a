"""All work as one job queue: the six addresses that clients of one know."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from swather.model.supervisor import NewSupervisor
from swather.posix import this_process
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, failed, finish

ENDED = {"completed": 6, "failed": 2}


def a_fleet(store: Store, name: str = "barn", **fields: Any) -> int:
    return store.supervisors.register(NewSupervisor(process=this_process(), name=name, **fields))


def some_work(store: Store) -> tuple[str, int]:
    """Ten targets: six completed, two failed, one held, one waiting."""
    run = a_run(store, 10)
    worker = a_worker(store, name="barn-0")
    for lease in claim(store, worker, 6):
        finish(store, completed(lease))
    for lease in claim(store, worker, 2):
        finish(store, failed(lease))
    claim(store, worker, 1)
    return run, worker


def status(client: TestClient) -> dict[str, Any]:
    answer = client.get("/jobs/workers/status")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_the_status_has_the_names_and_values_that_clients_know(
    client: TestClient, store: Store
) -> None:
    a_fleet(store, wanted=5)
    run, worker = some_work(store)
    store.workers.tell(
        worker, {"recent": {run: {"ended": 8, "seconds": 40.0, "quiet_seconds": 0.1}}}
    )
    assert status(client) == {
        "worker_status": {
            "running": True,
            "num_workers": 5,
            "active_workers": 1,
            "total_processed": 6,
            "total_failed": 2,
            "startup_recovery_done": True,
        },
        "performance_metrics": {
            "processing_rate_per_hour": 720.0,
            "success_rate": 0.75,
            "estimated_completion_time": "~10s",
        },
        "features": {
            "parallel_processing": True,
            "atomic_job_claiming": True,
            "exponential_backoff": True,
            "graceful_shutdown": True,
            "real_time_monitoring": True,
        },
    }


def test_an_empty_database_has_a_status(client: TestClient) -> None:
    found = status(client)
    assert found["worker_status"]["running"] is False
    assert found["worker_status"]["num_workers"] == 0
    assert found["performance_metrics"] == {
        "processing_rate_per_hour": 0.0,
        "success_rate": None,
        "estimated_completion_time": "~0s",
    }


def test_the_queue_is_counted_in_the_words_of_its_clients(client: TestClient, store: Store) -> None:
    run, _ = some_work(store)
    counts = store.runs.counts(run)
    assert client.get("/jobs/queue/stats").json() == {
        "pending": counts.waiting,
        "processing": counts.leased,
        "completed": 6,
        "failed": 2,
        "cancelled": 0,
        "remaining": 2,
        "total": 10,
        "active_runs": 1,
    }


def test_performance_is_told_of_each_worker(client: TestClient, store: Store) -> None:
    _, worker = some_work(store)
    said = {"completed": 6, "failed": 2, "retried": 1, "average_seconds": 0.25, "busy": 1}
    store.workers.tell(worker, said)
    found = client.get("/jobs/workers/performance").json()
    assert found["performance_metrics"]["average_runtime_seconds"] == 0.25
    assert found["performance_metrics"]["success_rate"] == 0.75
    assert found["queue"]["remaining"] == 2
    (line,) = found["workers"]
    del line["uptime_seconds"]
    assert line == {
        "name": "barn-0",
        "total_processed": 6,
        "total_failed": 2,
        "total_retried": 1,
        "success_rate": 0.75,
        "average_runtime_seconds": 0.25,
        "running": 1,
    }


def test_what_a_dead_worker_holds_is_not_recovered_yet(client: TestClient, store: Store) -> None:
    a_run(store, 1)
    claim(store, a_worker(store, lease_seconds=0.001), 1)
    before = status(client)["worker_status"]
    assert (before["active_workers"], before["startup_recovery_done"]) == (0, False)
    store.workers.sweep()
    assert status(client)["worker_status"]["startup_recovery_done"] is True


def test_starting_writes_the_wanted_number(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store, wanted=0)
    answer = client.post("/jobs/workers/start", json={"num_workers": 3})
    assert (answer.status_code, answer.json()["num_workers"]) == (200, 3)
    assert store.supervisors.get(fleet).wanted == 3
    assert status(client)["worker_status"]["num_workers"] == 3


def test_what_was_ordered_is_written_down(client: TestClient, store: Store) -> None:
    a_fleet(store, wanted=0)
    client.post("/jobs/workers/start", json={"num_workers": 3})
    (action,) = store.actions.find()
    assert (action.verb, action.detail) == ("workers start", {"num_workers": 3})


def test_workers_that_run_are_not_started_again(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store, wanted=2)
    answer = client.post("/jobs/workers/start", json={"num_workers": 3})
    assert answer.status_code == 409
    assert "2 workers of fleet barn are running" in answer.json()["detail"]
    assert store.supervisors.get(fleet).wanted == 2


@pytest.mark.parametrize("verb", ["start", "restart"])
def test_without_a_supervisor_the_answer_is_how_to_get_one(client: TestClient, verb: str) -> None:
    answer = client.post(f"/jobs/workers/{verb}", json={"num_workers": 3})
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["command"].startswith("swather fleet up --workers 3")


def test_stopping_wants_no_workers_of_any_fleet(client: TestClient, store: Store) -> None:
    fleets = [a_fleet(store, wanted=2), a_fleet(store, "shed", wanted=4)]
    assert client.post("/jobs/workers/stop").status_code == 200
    assert [store.supervisors.get(fleet).wanted for fleet in fleets] == [0, 0]


def test_a_restart_may_change_the_number(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store, wanted=5)
    answer = client.post("/jobs/workers/restart", json={"num_workers": 2})
    row = store.supervisors.get(fleet)
    assert (answer.status_code, row.wanted, row.restarts) == (200, 2, 1)


def test_a_restart_without_a_number_keeps_it(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store, wanted=5)
    assert client.post("/jobs/workers/restart").status_code == 200
    row = store.supervisors.get(fleet)
    assert (row.wanted, row.restarts) == (5, 1)


def test_a_number_does_not_say_which_of_two_fleets_is_meant(
    client: TestClient, store: Store
) -> None:
    a_fleet(store, wanted=0)
    a_fleet(store, "shed", wanted=0)
    answer = client.post("/jobs/workers/start", json={"num_workers": 3})
    assert answer.status_code == 409
    assert "2 fleets are up" in answer.json()["detail"]


def test_a_fleet_that_scales_itself_is_left_alone(client: TestClient, store: Store) -> None:
    a_fleet(store, wanted=1, minimum=1, maximum=4)
    for verb in ("start", "stop", "restart"):
        body = None if verb == "stop" else {"num_workers": 3}
        answer = client.post(f"/jobs/workers/{verb}", json=body)
        assert (answer.status_code, "scales itself" in answer.json()["detail"]) == (409, True)


@pytest.mark.parametrize("verb", ["start", "restart"])
def test_a_bad_number_is_refused(sqlite_client: TestClient, verb: str) -> None:
    for number in ("0", "-1", '"x"', '"2"', "true", "1e9", "2.5", "1" * 30):
        answer = sqlite_client.post(
            f"/jobs/workers/{verb}",
            content=f'{{"num_workers": {number}}}',
            headers={"content-type": "application/json"},
        )
        assert (answer.status_code, "num_workers" in answer.json()["detail"]) == (422, True), number


def test_a_start_names_a_number(sqlite_client: TestClient) -> None:
    assert sqlite_client.post("/jobs/workers/start", json={}).status_code == 422
    assert sqlite_client.post("/jobs/workers/start", json={"num_workers": None}).status_code == 422
    assert sqlite_client.post("/jobs/workers/start").status_code == 422
