"""Targets by upload: streamed, checked line by line, and said plainly when only some are loaded."""

from collections.abc import Iterator
from typing import Any

from starlette.testclient import TestClient

from swather.api import guard
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import states

TEXT = {"content-type": "text/plain"}
CSV = {"content-type": "text/csv"}
LINES = {"content-type": "application/x-ndjson"}


def a_registered_run(client: TestClient, **more: Any) -> str:
    body = {"scraper": "books", "targets": [], "keep_open": True, **more}
    answer = client.post("/api/v1/runs", json=body)
    assert answer.status_code == 201, answer.text
    run: str = answer.json()["run"]
    return run


def targets_of(store: Store, run: str) -> list[Any]:
    return [task.target for task in store.tasks.find(TaskFilter(run=run))]


def test_a_run_is_started_filled_and_closed(client: TestClient, store: Store, books: str) -> None:
    run = a_registered_run(client)
    text = b"https://example.com/1\n\nhttps://example.com/2\r\nhttps://example.com/1\n"
    answer = client.post(f"/api/v1/uploads/{run}", content=text, headers=TEXT)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "run": run,
        "enqueued": 2,
        "duplicates": 1,
        "skipped": 0,
        "skipped_lines": [],
        "notes": [],
    }
    assert targets_of(store, run) == ["https://example.com/1", "https://example.com/2"]
    again = client.post(f"/api/v1/uploads/{run}", content=text, headers=TEXT).json()
    assert (again["enqueued"], again["duplicates"]) == (0, 3)
    client.post(f"/api/v1/runs/{run}/cancel")
    assert client.get(f"/api/v1/runs/{run}/stats").json()["remaining"] == 0
    done = [(action.verb, action.done) for action in reversed(store.actions.find())]
    loaded = [("run start", 0), ("run upload", 2), ("run upload", 0), ("run cancel", 2)]
    assert done == loaded


def test_csv_and_json_lines_are_read_as_commands_read_them(
    client: TestClient, store: Store, books: str
) -> None:
    run = a_registered_run(client)
    table = "name,url,rank\nA,https://example.com/a,9\nB,https://example.com/b,1\n"
    query = {"column": "url", "priority_column": "rank"}
    assert (
        client.post(f"/api/v1/uploads/{run}", content=table, headers=CSV, params=query).json()[
            "enqueued"
        ]
        == 2
    )
    lines = '{"id": 1, "url": "https://example.com/c"}\n"https://example.com/d"\n'
    assert (
        client.post(f"/api/v1/uploads/{run}", content=lines, headers=LINES).json()["enqueued"] == 2
    )
    assert targets_of(store, run) == [
        "https://example.com/a",
        "https://example.com/b",
        {"id": 1, "url": "https://example.com/c"},
        "https://example.com/d",
    ]
    found = store.tasks.find(TaskFilter(run=run))
    assert [task.priority for task in found] == [9, 1, 5, 5]


def test_bad_lines_are_named_and_nothing_is_loaded(
    client: TestClient, store: Store, books: str
) -> None:
    run = a_registered_run(client)
    text = b"https://example.com/1\nhttps://exa\xffmple.com/2\nnul\0\n"
    answer = client.post(f"/api/v1/uploads/{run}", content=text, headers=TEXT)
    detail = answer.json()["detail"]
    assert answer.status_code == 422
    assert "upload line 2: is not UTF-8" in detail
    assert "upload line 3: contains a NUL" in detail
    assert "skip_bad=true" in detail
    assert targets_of(store, run) == []
    skipped = client.post(
        f"/api/v1/uploads/{run}", content=text, headers=TEXT, params={"skip_bad": True}
    ).json()
    assert (skipped["enqueued"], skipped["skipped"]) == (1, 2)
    assert skipped["skipped_lines"][0].startswith("upload line 2")


def test_what_is_loaded_before_a_late_bad_line_is_said(
    client: TestClient, store: Store, books: str
) -> None:
    run = a_registered_run(client)

    def lines() -> Iterator[bytes]:
        for number in range(15_000):
            yield b"https://example.com/%d\n" % number
        yield b"\xff\n"

    answer = client.post(f"/api/v1/uploads/{run}", content=lines(), headers=TEXT)
    assert answer.status_code == 422
    assert "upload line 15,001" in answer.json()["detail"]
    assert "15,000 targets before it are loaded" in answer.json()["detail"]
    assert states(store, run) == {"ready": 15_000}
    assert client.get(f"/api/v1/runs/{run}").json()["load_incomplete"] is True
    (action, *_) = store.actions.find()
    assert (action.verb, action.state, action.done) == ("run upload", "failed", 15_000)
    assert "upload line 15,001" in action.error


def test_an_upload_past_its_limit_is_refused_and_written_down(
    client: TestClient, store: Store, books: str, monkeypatch: Any
) -> None:
    run = a_registered_run(client)
    monkeypatch.setattr(guard, "MAX_UPLOAD_BYTES", 1 << 20)

    def lines() -> Iterator[bytes]:
        for number in range(100_000):
            yield b"https://example.com/%d\n" % number

    answer = client.post(f"/api/v1/uploads/{run}", content=lines(), headers=TEXT)
    assert answer.status_code == 413
    assert states(store, run) == {}
    (action, *_) = store.actions.find()
    assert "more than 1,048,576 bytes" in action.error


def test_targets_of_clients_open_no_private_host(
    client: TestClient, store: Store, books: str
) -> None:
    run = a_registered_run(client, params={"site": "http://10.0.0.9/"})
    client.post(f"/api/v1/uploads/{run}", content=b"http://127.0.0.1:9/x\n", headers=TEXT)
    client.post(f"/api/v1/runs/{run}/targets", json={"targets": ["http://10.0.0.8/"]})
    assert len(targets_of(store, run)) == 2
    for host, port in (("127.0.0.1", 9), ("10.0.0.8", 80), ("10.0.0.9", 80)):
        assert store.allowed_hosts.pin(run, host, port, host) is None


def test_what_cannot_be_uploaded_is_refused(
    sqlite_client: TestClient, sqlite: Store, books: str
) -> None:
    run = a_registered_run(sqlite_client)
    address = f"/api/v1/uploads/{run}"

    def refused(status: int, said: str, **request: Any) -> None:
        answer = sqlite_client.post(address, **{"content": b"x\n", "headers": TEXT, **request})
        assert (answer.status_code, said in answer.text) == (status, True), answer.text

    refused(415, "form=txt", headers={"content-type": "application/pdf"})
    refused(415, "form=txt", headers={})
    refused(422, "only CSV", params={"column": "url"})
    refused(422, "colour", params={"colour": "red"})
    refused(422, "UTF-16", content="x\n".encode("utf-16"))
    refused(422, "not JSON", headers=LINES, content=b"{\n")
    refused(422, "too deeply", headers=LINES, content=b"[" * 200_000 + b"\n")
    refused(422, "line 1", content=b"x" * (20 << 20))
    assert sqlite_client.post("/api/v1/uploads/nothing", content=b"x").status_code == 404
    other = sqlite.runs.create(a_new_run())
    answer = sqlite_client.post(f"/api/v1/uploads/{other.name}", content=b"x\n", headers=TEXT)
    assert (answer.status_code, "registered" in answer.text) == (404, True)
    sqlite_client.post(f"/api/v1/runs/{run}/cancel")
    refused(409, "cancelled")


def a_new_run() -> Any:
    from swather.model.run import NewRun  # noqa: PLC0415

    return NewRun(scraper="unregistered")
