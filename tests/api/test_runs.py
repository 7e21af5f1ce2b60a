"""Runs over HTTP: started by name, watched, paused, cancelled, removed."""

from typing import Any

from starlette.testclient import TestClient

from swather.api import run_changes
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, finish, states, until

TARGETS = ["https://example.com/1", {"n": 2}]


def posted(client: TestClient, address: str, body: Any = None, status: int = 200) -> Any:
    answer = client.post(f"/api/v1/{address}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_registered_scraper_is_started_by_name(
    client: TestClient, store: Store, books: str
) -> None:
    body = {"scraper": books, "targets": TARGETS, "params": {"pages": 2}}
    started = posted(client, "runs", body, 201)
    run = started["run"]
    assert (started["status"], started["enqueued"], started["run_id"]) == ("queued", 2, run)
    assert "swather worker" in started["worker_command"]
    assert store.runs.get(run).params["pages"] == 2
    assert posted(client, "runs", body, 201)["run"] != run
    (newest, first) = client.get("/api/v1/runs").json()
    assert (first["run"], first["tasks"], newest["state"]) == (run, 2, "open")


def test_a_request_whose_answer_was_lost_can_be_sent_again(
    client: TestClient, store: Store, books: str
) -> None:
    body = {"scraper": books, "targets": TARGETS, "new": False}
    first, second = posted(client, "runs", body, 201), posted(client, "runs", body, 201)
    assert (first["run"], second["enqueued"]) == (second["run"], 0)
    assert len(store.runs.find()) == 1


def test_a_scraper_may_bring_the_targets(client: TestClient, store: Store) -> None:
    params = {"states": ["DC"], "categories": ["gyms"], "min_population": 500_000}
    run = posted(client, "runs", {"scraper": "listings", "params": params}, 201)["run"]
    [task] = store.tasks.find(TaskFilter(run=run), limit=10)
    assert task.target == {"state": "DC", "city": "Washington", "category": "gyms"}
    assert "name states" in str(posted(client, "runs", {"scraper": "listings"}, 422))


def test_only_registered_names_are_started(sqlite_client: TestClient, books: str) -> None:
    for name in ("books.py", "./books.py:books", "os:system", "/etc/passwd", "nothing", ""):
        posted(sqlite_client, "runs", {"scraper": name, "targets": TARGETS}, 404)
    for wrong in (
        {"scraper": books},
        {"scraper": books, "targets": TARGETS, "params": {"pages": "many"}},
        {"scraper": books, "targets": TARGETS, "params": {"colour": 1}},
        {"scraper": books, "targets": TARGETS, "db": "sqlite:///other.db"},
        {"scraper": books, "targets": ["x\0"]},
    ):
        posted(sqlite_client, "runs", wrong, 422)


def test_targets_are_added_and_those_that_are_there_left_alone(
    client: TestClient, store: Store, books: str
) -> None:
    run = posted(client, "runs", {"scraper": books, "targets": TARGETS}, 201)["run"]
    more = posted(client, f"runs/{run}/targets", {"targets": [*TARGETS, "https://example.com/3"]})
    assert (more["enqueued"], states(store, run)) == (1, {"ready": 3})
    posted(client, f"runs/{run}/targets", {"targets": []}, 422)


def test_a_run_is_watched_paused_cancelled_and_removed(client: TestClient, store: Store) -> None:
    run, worker = a_run(store, 4), a_worker(store)
    finish(store, completed(*claim(store, worker), "item"))
    status = client.get(f"/api/v1/runs/{run}").json()
    assert (status["counts"]["completed"], status["counts"]["ready"]) == (1, 3)
    assert client.get(f"/api/v1/runs/{run}/stats").json() == {
        "run": run,
        "pending": 3,
        "claimed": 0,
        "completed": 1,
        "failed": 0,
        "remaining": 3,
    }
    assert posted(client, f"runs/{run}/pause") == {"run": run, "paused": True}
    assert client.get(f"/api/v1/runs/{run}/why").json()["reasons"]
    assert client.get("/api/v1/runs", params={"state": "open"}).json()[0]["state"] == "paused"
    posted(client, f"runs/{run}/unpause")
    assert client.delete(f"/api/v1/runs/{run}").status_code == 409
    dry = client.post(f"/api/v1/runs/{run}/cancel", params={"dry_run": True}).json()
    assert (dry["cancelled"], states(store, run)["ready"]) == (3, 3)
    assert posted(client, f"runs/{run}/cancel")["cancelled"] == 3
    assert client.delete(f"/api/v1/runs/{run}").json()["removed"] == {"runs": 1, "tasks": 4}
    assert client.get(f"/api/v1/runs/{run}").status_code == 404
    done = {action.verb: action.done for action in store.actions.find()}
    assert done == {"run pause": 0, "run unpause": 0, "run cancel": 3, "run remove": 4}


def test_a_large_run_is_cancelled_and_removed_in_the_background(
    client: TestClient, store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setattr(run_changes, "AT_ONCE", 5)
    run = a_run(store, 20)
    answer = posted(client, f"runs/{run}/cancel", None, 202)
    until(lambda: store.actions.get(answer["action"]).state != "running")
    assert states(store, run) == {"cancelled": 20}
    action = store.actions.get(answer["action"])
    assert (action.state, action.done, action.total) == ("done", 20, 20)
    removed = client.delete(f"/api/v1/runs/{run}")
    assert removed.status_code == 202
    until(lambda: store.actions.get(removed.json()["action"]).state != "running")
    assert store.runs.find() == []
    action = store.actions.get(removed.json()["action"])
    assert (action.state, action.done, action.total) == ("done", 20, 20)
