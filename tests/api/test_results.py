"""What runs have found, over HTTP: items, files and exports."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from swather.api import stores
from swather.model.outcome import File, Item
from swather.runs.export import export
from swather.scraping.folder_files import FolderFiles
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, failed, finish, items, retried

FORMULA = "=HYPERLINK(0)"


def some_items(store: Store, number: int = 5) -> str:
    run, worker = a_run(store, number), a_worker(store)
    for lease in claim(store, worker, number):
        finish(store, completed(lease, {"n": lease.target, "title": f"Book {lease.target}"}))
    assert len(items(store, run)) == number
    return run


def test_items_come_newest_first_and_part_by_part(client: TestClient, store: Store) -> None:
    run = some_items(store)
    found: list[int] = []
    query: dict[str, Any] = {"limit": 2}
    while True:
        page = client.get(f"/api/v1/runs/{run}/items", params=query).json()
        found += [item["data"]["n"] for item in page["items"]]
        if page["next"] is None:
            break
        query["before"] = page["next"]
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert found == [item.data["n"] for item in reversed(items(store, run))]


def test_items_are_searched(client: TestClient, store: Store) -> None:
    run = some_items(store)
    page = client.get(f"/api/v1/runs/{run}/items", params={"search": "BOOK 3"}).json()
    assert [item["data"]["title"] for item in page["items"]] == ["Book 3"]


@pytest.mark.parametrize("form", ["jsonl", "json", "csv"])
def test_an_export_is_the_file_that_the_command_writes(
    client: TestClient, store: Store, tmp_path: Path, form: str
) -> None:
    run, worker = a_run(store, 3), a_worker(store)
    first, second, third = claim(store, worker, 3)
    finish(store, completed(first, {"a": FORMULA}), completed(second, {"b": "ü"}, {"c": [1]}))
    finish(store, failed(third))
    assert len(items(store, run)) == 3
    written = export(store, run, tmp_path / f"written.{form}").path.read_bytes()
    answer = client.get(f"/api/v1/runs/{run}/export", params={"format": form})
    assert (answer.status_code, answer.content) == (200, written)
    assert f"{run}.{form}" in answer.headers["content-disposition"]
    assert answer.headers["content-disposition"].startswith("attachment")
    if form == "csv":
        assert f"'{FORMULA}" in answer.text
        raw = client.get(f"/api/v1/runs/{run}/export", params={"format": form, "raw": True})
        assert f"'{FORMULA}" not in raw.text


def test_an_export_may_leave_out_what_is_not_complete(client: TestClient, store: Store) -> None:
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    store.queue.checkpoint(first.fence, part=0, cursor=None, items=[Item({"n": 1})])
    finish(store, retried(first, 60.0), completed(second, {"n": 2}))
    assert len(items(store, run)) == 2
    address = f"/api/v1/runs/{run}/export"
    assert len(client.get(address).text.splitlines()) == 2
    whole = client.get(address, params={"complete_only": True})
    assert [json.loads(line) for line in whole.text.splitlines()] == [{"n": 2}]


def test_an_empty_run_exports_to_an_empty_file(client: TestClient, store: Store) -> None:
    run = a_run(store)
    assert client.get(f"/api/v1/runs/{run}/export").content == b""


def test_what_cannot_be_exported_is_refused(sqlite_client: TestClient, sqlite: Store) -> None:
    address = f"/api/v1/runs/{a_run(sqlite)}/export"
    for query in (
        {"format": "doc"},
        {"raw": True},
        {"complete_only": True, "outdated": True},
    ):
        assert sqlite_client.get(address, params=query).status_code == 422, query
    assert sqlite_client.get("/api/v1/runs/nothing/export").status_code == 404


def test_downloads_are_bounded_and_take_no_store_from_others(
    sqlite_client: TestClient, sqlite: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = some_items(sqlite, 1)
    served = sqlite_client.app.app.state.served  # type: ignore[attr-defined]
    turns = [served.stores.exports.taken() for _ in range(stores.MOST_EXPORTS)]
    for turn in turns:
        turn.__enter__()
    assert sqlite_client.get(f"/api/v1/runs/{run}/export").status_code == 429
    assert sqlite_client.get("/api/v1/runs").status_code == 200
    for turn in turns:
        turn.__exit__(None, None, None)
    assert sqlite_client.get(f"/api/v1/runs/{run}/export").status_code == 200


def test_a_saved_page_can_only_be_saved(
    sqlite_client: TestClient,
    sqlite: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    contents = {
        "page.html": ("text/html", b"<script>alert(1)</script>"),
        "drawing.svg": ("image/svg+xml", b"<svg onload='alert(1)'/>"),
        "cover.png": ("image/png", b"\x89PNG"),
        'a"; filename="b.exe\r\nx-evil: 1': ("text/plain", b"text"),
    }
    run = with_files(sqlite, contents)
    page = sqlite_client.get(f"/api/v1/runs/{run}/files").json()
    assert len(page["files"]) == len(contents)
    for file in page["files"]:
        answer = sqlite_client.get(f"/api/v1/runs/{run}/files/{file['position']}")
        kind, content = contents[file["name"]]
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in answer.headers["content-security-policy"]
        is_shown = kind == "image/png"
        disposition = answer.headers["content-disposition"]
        assert disposition.startswith("inline" if is_shown else "attachment")
        assert answer.headers["content-type"] == (kind if is_shown else "application/octet-stream")
        assert "x-evil" not in answer.headers
    assert sqlite_client.get(f"/api/v1/runs/{run}/files/9999.0.0").status_code in {404, 422}
    assert sqlite_client.get(f"/api/v1/runs/{run}/files/../../etc").status_code in {404, 422}


def with_files(store: Store, contents: dict[str, tuple[str, bytes]]) -> str:
    """A run whose only task has saved these."""
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    folder = FolderFiles(Path("files").absolute())
    folder.make()
    files = []
    for name, (kind, content) in contents.items():
        digest, size = folder.save(content)
        files.append(File(name=name, sha256=digest, size_bytes=size, media_type=kind))
    finish(store, completed(lease, files=files))
    return run


def test_a_file_that_is_on_another_machine_is_told(
    sqlite_client: TestClient, sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run, worker = a_run(sqlite, 1), a_worker(sqlite)
    file = File(name="cover.png", sha256="0" * 64, size_bytes=3, media_type="image/png")
    (lease,) = claim(sqlite, worker)
    finish(sqlite, completed(lease, files=[file]))
    (listed,) = sqlite_client.get(f"/api/v1/runs/{run}/files").json()["files"]
    answer = sqlite_client.get(f"/api/v1/runs/{run}/files/{listed['position']}")
    assert (answer.status_code, "where its worker ran" in answer.json()["detail"]) == (404, True)
