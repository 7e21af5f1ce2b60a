"""Tasks over HTTP: found by filter, looked at, retried and cancelled."""

from typing import Any

from starlette.testclient import TestClient

from swather.api import task_changes
from swather.model.outcome import File
from swather.model.results import StoredItem
from swather.model.task import State
from swather.store import Store
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    states,
    targets,
    until,
)


def some_tasks(store: Store) -> str:
    """Nine tasks: three completed, three failed of which one was slow, one held, two waiting."""
    run, worker = a_run(store, 9, lane="shop.example"), a_worker(store, name="barn-0")
    finish(store, *(completed(lease, {"n": lease.target}) for lease in claim(store, worker, 3)))
    first, *others = claim(store, worker, 3)
    finish(store, failed(first, "timeout", a_fault("too slow")), *map(failed, others))
    claim(store, worker, 1)
    return run


def listed(client: TestClient, run: str, **query: Any) -> dict[str, Any]:
    answer = client.get(f"/api/v1/runs/{run}/tasks", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def targets_of(page: dict[str, Any]) -> list[int]:
    return [task["target"] for task in page["tasks"]]


def test_tasks_are_found_by_all_conditions_together(client: TestClient, store: Store) -> None:
    run = some_tasks(store)
    assert targets_of(listed(client, run)) == list(range(9))
    assert targets_of(listed(client, run, order="newest", limit=2)) == [8, 7]
    assert targets_of(listed(client, run, state=["failed", "leased"])) == [3, 4, 5, 6]
    assert targets_of(listed(client, run, state="failed", reason="timeout")) == [3]
    assert targets_of(listed(client, run, error_class="permanent")) == [4, 5]
    assert targets_of(listed(client, run, worker="barn-0", state="leased")) == [6]
    assert targets_of(listed(client, run, lane="other.example")) == []
    (held,) = listed(client, run, state="leased")["tasks"]
    assert (held["worker"], held["lane"], held["state"]) == ("barn-0", "shop.example", "leased")
    assert targets_of(listed(client, run, task=held["task"])) == [6]


def test_the_parts_of_a_list_are_the_whole_list(client: TestClient, store: Store) -> None:
    run = some_tasks(store)
    for order in ("oldest", "newest"):
        found: list[int] = []
        page = listed(client, run, order=order, limit=4)
        while True:
            found += targets_of(page)
            if page["next"] is None:
                break
            page = listed(client, run, order=order, limit=4, after=page["next"])
        assert found == sorted(range(9), reverse=order == "newest")


def test_a_task_is_told_with_all_that_belongs_to_it(client: TestClient, store: Store) -> None:
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    file = File(name="cover.png", sha256="0" * 64, size_bytes=3, media_type="image/png")
    finish(store, completed(lease, {"title": "A"}, files=[file]))
    until(lambda: bool(store.results.of_task(lease.task_id).items))
    found = client.get(f"/api/v1/tasks/{lease.task_id}").json()
    assert (found["task"], found["run"], found["state"]) == (lease.task_id, run, "completed")
    (item,) = found["items"]
    assert (item["task"], item["data"], item["partial"]) == (lease.task_id, {"title": "A"}, False)
    assert [each["name"] for each in found["files"]] == ["cover.png"]
    assert isinstance(store.results.of_task(lease.task_id).items[0], StoredItem)


def test_what_failed_is_told_with_its_events(client: TestClient, store: Store) -> None:
    run = some_tasks(store)
    (task,) = listed(client, run, reason="timeout")["tasks"]
    events = client.get(f"/api/v1/tasks/{task['task']}").json()["events"]
    assert [event["kind"] for event in events] == ["failed"]
    page = client.get(f"/api/v1/runs/{run}/events", params={"limit": 2}).json()
    rest = client.get(f"/api/v1/runs/{run}/events", params={"after": page["next"]}).json()
    assert (len(page["events"]), len(rest["events"]), rest["next"]) == (2, 1, None)
    why = client.get(f"/api/v1/tasks/{task['task']}/why").json()
    assert (why["task"], why["run"]) == (task["task"], run)
    assert "too slow" in str(why["reasons"])


def test_tasks_are_retried_by_filter_after_a_count(client: TestClient, store: Store) -> None:
    run = some_tasks(store)
    address = f"/api/v1/runs/{run}/tasks/retry"
    dry = client.post(address, params={"dry_run": True}, json={"reason": ["timeout"]}).json()
    assert (dry["retried"], dry["dry_run"], dry["exact"]) == (1, True, True)
    assert states(store, run)["failed"] == 3
    answer = client.post(address, json={})
    assert (answer.status_code, answer.json()["retried"]) == (200, 3)
    assert "failed" not in states(store, run)
    (action,) = store.actions.find()
    assert (action.verb, action.subject, action.state) == ("tasks retry", run, "done")
    assert action.detail == {"filter": [["state", "failed"]]}


def test_tasks_are_cancelled_by_filter_but_never_all_by_mistake(
    client: TestClient, store: Store
) -> None:
    run = some_tasks(store)
    address = f"/api/v1/runs/{run}/tasks/cancel"
    refused = client.post(address, json={})
    assert (refused.status_code, "/cancel" in refused.json()["detail"]) == (422, True)
    assert client.post(address, json={"state": ["failed"]}).status_code == 422
    answer = client.post(address, json={"state": ["ready"]}).json()
    assert (answer["cancelled"], answer["whole_run"]) == (2, False)
    assert states(store, run) == {"completed": 3, "failed": 3, "leased": 1, "cancelled": 2}


def test_one_task_is_cancelled_and_retried(client: TestClient, store: Store) -> None:
    run = a_run(store, 1)
    (task,) = listed(client, run)["tasks"]
    address = f"/api/v1/tasks/{task['task']}"
    assert client.post(f"{address}/cancel").json()["cancelled"] == 1
    assert client.post(f"{address}/cancel").json()["cancelled"] == 0
    assert client.post(f"{address}/retry").json()["retried"] == 1
    assert states(store, run) == {"ready": 1}


def test_many_tasks_are_changed_in_the_background(
    client: TestClient, store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setattr(task_changes, "AT_ONCE", 5)
    run = a_run(store, 20)
    answer = client.post(f"/api/v1/runs/{run}/tasks/cancel", json={"state": ["ready"]})
    assert (answer.status_code, answer.json()["cancelled"]) == (202, 20)
    number = answer.json()["action"]
    until(lambda: store.actions.get(number).state != "running")
    found = client.get(f"/api/v1/actions/{number}").json()
    assert (found["action"], found["done"], found["total"]) == (number, 20, 20)
    assert states(store, run) == {"cancelled": 20}


def test_a_filter_that_matches_few_among_many_is_not_counted_first(
    client: TestClient, store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setattr(task_changes, "SCAN", 5)
    run = a_run(store, 1, lane="rare.example")
    store.tasks.enqueue(run, targets([f"x{number}" for number in range(20)], lane="b.example"))
    address, given = f"/api/v1/runs/{run}/tasks/cancel", {"lane": "rare.example"}
    dry = client.post(address, params={"dry_run": True}, json=given).json()
    assert (dry["cancelled"], dry["exact"], dry["action"]) == (0, False, None)
    answer = client.post(address, json=given)
    assert (answer.status_code, answer.json()["exact"]) == (202, False)
    number = answer.json()["action"]
    until(lambda: store.actions.get(number).state != "running")
    action = store.actions.get(number)
    assert (action.state, action.done, action.total) == ("done", 1, None)
    assert states(store, run) == {"cancelled": 1, "ready": 20}


def test_bad_filters_are_refused(sqlite_client: TestClient, sqlite: Store) -> None:
    run = a_run(sqlite, 1)
    address = f"/api/v1/runs/{run}/tasks"
    for query in (
        {"state": "lost"},
        {"limit": 0},
        {"limit": 1_001},
        {"after": -1},
        {"after": 2**63},
        {"task": 0},
        {"colour": "red"},
        {"lane": "a\0b"},
        {"error_class": "nonsense"},
    ):
        assert sqlite_client.get(address, params=query).status_code == 422, query
    assert sqlite_client.get(address, params={"group": "beef"}).status_code == 404
    assert sqlite_client.get("/api/v1/runs/nothing/tasks").status_code == 404
    assert sqlite_client.get("/api/v1/tasks/12").status_code == 404
    assert sqlite_client.get("/api/v1/tasks/99999999999999999999").status_code == 422
    assert State.READY in states(sqlite, run)
