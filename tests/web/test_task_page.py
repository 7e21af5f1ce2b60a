"""The page of a task: what happened to it, why it waits, what it left behind."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from swather.model.retry import ErrorClass
from swather.model.run import NewRun, with_reserved
from swather.model.task import State, Target
from swather.model.task_filter import TaskFilter
from swather.scraping.folder_files import FolderFiles
from swather.store import Store
from tests.store.given import (
    a_fault,
    a_run,
    a_task,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
)
from tests.web.html import read
from tests.web.test_tasks_pages import HOSTILE, hostile_work, refuse_markup

PNG = b"\x89PNG\r\n\x1a\nno picture, but nobody looks"


def steps(client: TestClient, task: int) -> list[str]:
    return read(client, f"/tasks/{task}").texts(".steps li b")


def test_the_timeline_tells_every_attempt(client: TestClient, store: Store):
    store.settings.set("event_level", "all")
    run = a_run(store)
    task = a_task(store, run, Target(value="https://example.com/1", lane="example.com"))
    worker = a_worker(store, name="barn-3")
    (lease,) = claim(store, worker)
    finish(store, retried(lease, 0, a_fault("no answer", ErrorClass.TIMEOUT)))
    (lease,) = claim(store, worker)
    finish(store, completed(lease, {"title": "Light"}, {"title": "Velvet"}))
    page = read(client, f"/tasks/{task}")
    told = page.texts(".steps li b")
    assert told == ["queued", "claimed", "failed, to be retried", "claimed", "completed"]
    assert "barn-3" in page.text("#task-steps")
    assert "no answer" in page.text("#task-steps")
    small = page.texts(".steps small")
    assert small == ["attempt 1", "attempt 1", "timeout", "attempt 2", "attempt 2"]
    meanwhile = [text.split()[0] for text in page.texts(".steps .took")]
    assert meanwhile == ["waited", "ran", "waited", "ran"]
    assert [text.split()[0] for text in page.texts("main details summary")][-2:] == [
        '{"title":"Light"}',
        '{"title":"Velvet"}',
    ]
    assert page.attributes(".task-links a", "href") == [f"/api/v1/tasks/{task}"]


def test_only_failures_in_the_log_still_make_a_timeline(client: TestClient, store: Store):
    run = a_run(store)
    task = a_task(store, run, Target(value=1))
    assert steps(client, task) == ["queued"]
    (lease,) = claim(store, a_worker(store))
    assert steps(client, task) == ["queued", "claimed", "running"]
    finish(store, failed(lease, fault=a_fault("gone", traceback="Traceback\n  line 7")))
    page = read(client, f"/tasks/{task}")
    assert page.texts(".steps li b") == ["queued", "failed"]
    assert page.text(".steps .took").startswith("after ")
    assert "gone" in page.text("#task-story")
    assert "line 7" in page.text("#task-story details pre")
    assert "swather settings set event_level all" in page.html


def test_a_task_that_waits_says_what_for(client: TestClient, store: Store):
    run = a_run(store, 1)
    (task,) = (task.id for task in store.tasks.search(TaskFilter(run=run)).tasks)
    assert "waiting for a worker" in read(client, f"/tasks/{task}").text("#task-story")
    store.runs.pause(run)
    page = read(client, f"/tasks/{task}")
    assert "paused" in page.text("#task-story")
    assert f"swather unpause {run}" in page.text("#task-story")


def test_a_task_is_cancelled_and_retried_by_its_buttons(client: TestClient, store: Store):
    run = a_run(store)
    task = a_task(store, run, Target(value=1))
    page = read(client, f"/tasks/{task}")
    assert page.attributes("#task-acts a", "href") == [f"/tasks/{task}/cancel"]
    assert read(client, f"/tasks/{task}/cancel").texts("button.danger") == ["Cancel this task"]
    assert store.tasks.get(task).state is State.READY
    assert client.post(f"/tasks/{task}/cancel").status_code == 200
    assert store.tasks.get(task).state is State.CANCELLED
    assert client.post(f"/tasks/{task}/cancel").status_code == 409
    page = read(client, f"/tasks/{task}")
    assert page.attributes("#task-acts form", "action") == [f"/tasks/{task}/retry"]
    assert client.post(f"/tasks/{task}/retry").status_code == 200
    assert store.tasks.get(task).state is State.READY
    told = [(action.verb, action.subject, action.state) for action in store.actions.find()]
    assert told == [
        ("task retry", str(task), "done"),
        ("task cancel", str(task), "done"),
        ("task cancel", str(task), "done"),
    ]


@pytest.mark.parametrize(
    ("noted", "told"), [({"way_out": "pool"}, ["through a proxy of the pool"]), ({}, [])]
)
def test_how_requests_leave_is_told_where_it_is_not_directly(
    client: TestClient, store: Store, noted: dict[str, str], told: list[str]
):
    run = store.runs.create(NewRun(scraper="a", params=with_reserved({}, {"egress": noted}))).name
    page = read(client, f"/tasks/{a_task(store, run, Target(value=1))}")
    facts = dict(zip(page.texts("#task-facts dt"), page.texts("#task-facts dd"), strict=True))
    assert [facts[name] for name in facts if name == "leaves"] == told


def test_what_there_is_not_is_not_found(client: TestClient, store: Store):
    task = a_task(store, a_run(store), Target(value=1))
    for address, status in (
        ("/tasks/99999", 404),
        ("/tasks/0", 422),
        ("/tasks/99999999999999999999", 422),
        ("/tasks/one", 422),
        (f"/tasks/{task}/failures/1.png", 404),
        (f"/tasks/{task}/failures/1.html", 404),
        ("/tasks/99999/cancel", 404),
    ):
        read(client, address, status=status)
    assert client.post(f"/tasks/{task}/explode").status_code == 422
    assert client.post("/tasks/99999/retry").status_code == 404


def test_text_of_others_is_text_on_the_page_of_a_task(client: TestClient, store: Store):
    run = hostile_work(store)
    a_task(store, run, Target(value=HOSTILE))
    tasks = [task.id for task in store.tasks.search(TaskFilter(run=run)).tasks]
    (lease,) = claim(store, a_worker(store))
    finish(store, completed(lease, {HOSTILE: HOSTILE, "long": "x" * 5_000_000}))
    for task in tasks:
        refuse_markup(read(client, f"/tasks/{task}").html, 80_000)
    refuse_markup(read(client, f"/runs/{run}/log").html, 60_000)


def test_the_page_that_a_browser_failed_on_is_shown_and_cannot_run(
    client: TestClient, store: Store, tmp_path: Path
):
    folder = FolderFiles(tmp_path / "files")
    folder.make()
    noted = with_reserved({}, {"files_folder": str(tmp_path / "files")})
    run = store.runs.create(NewRun(scraper="books", params=noted)).name
    task = a_task(store, run, Target(value=1))
    (lease,) = claim(store, a_worker(store))
    finish(store, failed(lease))
    for content, ending in ((PNG, "png"), (b"<script>alert(1)</script>", "html")):
        digest, _ = folder.save(content)
        folder.link_name(digest, f"failures/{task}-1.{ending}", "text/html")
    outside = tmp_path / "secret.png"
    outside.write_bytes(b"secret")
    (tmp_path / "files" / "failures" / f"{task}-2.png").symlink_to(outside)
    page = read(client, f"/tasks/{task}")
    assert page.attributes("figure img", "src") == [f"/tasks/{task}/failures/1.png"]
    shown = client.get(f"/tasks/{task}/failures/1.png")
    assert (shown.content, shown.headers["content-type"]) == (PNG, "image/png")
    saved = client.get(f"/tasks/{task}/failures/1.html")
    assert saved.headers["content-type"] == "application/octet-stream"
    assert saved.headers["content-disposition"].startswith("attachment")
    for answer in (shown, saved):
        assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.get(f"/tasks/{task}/failures/2.png").status_code == 404


@pytest.mark.parametrize("level", ["failures", "all", "none"])
def test_the_log_has_the_newest_events_first(client: TestClient, store: Store, level: str):
    store.settings.set("event_level", level)
    run = a_run(store, 3)
    worker = a_worker(store, name="barn-1")
    for lease in claim(store, worker, 3):
        finish(store, failed(lease, fault=a_fault(f"broke {lease.task_id}")))
    page = read(client, f"/runs/{run}/log")
    logged = store.events.newest(run)
    shown = [int(re.sub(r"\D", "", row[2])) for row in page.rows()]
    assert shown == [event.task_id for event in logged]
    assert bool(logged) == (level != "none")
    if logged:
        assert page.rows()[0][3].endswith(logged[0].message)
        assert page.rows()[0][4] == "barn-1"
    else:
        assert "Nothing is logged" in page.html
