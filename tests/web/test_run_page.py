"""The page of a run: the same numbers and words as `status` and `why`, and what can be done."""

from datetime import UTC, datetime
from urllib.parse import quote

import msgspec
from starlette.testclient import TestClient

from swather.model.history import Measured
from swather.model.outcome import Item
from swather.model.run import RunState
from swather.runs.progress import Watcher
from swather.runs.why import why_run
from swather.store import Store
from tests.store.given import a_fault, a_run, a_worker, claim, completed, failed, finish, retried
from tests.web.conftest import READER
from tests.web.html import read


def a_mixed_run(store: Store) -> str:
    """Twelve targets: six completed, three failed alike, one waits to retry, two are ready."""
    run = a_run(store, 12, lane="shop.example")
    worker = a_worker(store, name="barn-0")
    six, three, one = (claim(store, worker, number) for number in (6, 3, 1))
    finish(store, *(completed(lease, {"n": 1}) for lease in six))
    finish(store, *(failed(lease, fault=a_fault("no <b>price</b>")) for lease in three))
    finish(store, *(retried(lease, 600.0, a_fault("HTTP 500")) for lease in one))
    return run


def test_the_page_shows_what_status_and_why_say(client: TestClient, store: Store) -> None:
    run = a_mixed_run(store)
    now = Watcher(store, run).snapshot()
    page = read(client, f"/runs/{run}")
    figures = dict(zip(page.texts("#standing dt"), page.texts("#standing dd"), strict=True))
    assert figures["of 12 tasks done"] == "9 75 %"
    assert figures["failed, 66.7% succeed"] == "3"
    assert figures["retry"] == "1"
    assert figures["items"] == str(now.counts.items) == "6"
    assert page.texts("#standing .key li") == [
        "6 completed", "3 failed", "1 scheduled", "2 ready"
    ]  # fmt: skip
    said = " ".join(page.texts("#story li"))
    for reason in why_run(store, run):
        assert reason.text.split(", the next at")[0] in said
        assert reason.command in said


def test_the_page_shows_duplicates_and_what_was_rejected(client: TestClient, store: Store) -> None:
    run, worker = a_run(store, 2), a_worker(store)
    same, reasons = Item("a", key="same"), {"no_phone": 2, "<b>closed": 1}
    for lease in claim(store, worker, 2):
        finish(store, completed(lease, same, rejected=reasons))
    page = read(client, f"/runs/{run}")
    figures = dict(zip(page.texts("#standing dt"), page.texts("#standing dd"), strict=True))
    assert figures["duplicate"] == "1"
    assert figures["rejected, mostly no_phone"] == "6"
    assert "<b>closed: 2" in "".join(page.attributes("#standing dt[title]", "title"))


def test_errors_are_grouped_with_how_many_can_be_retried(client: TestClient, store: Store) -> None:
    run = a_mixed_run(store)
    page = read(client, f"/runs/{run}")
    assert page.texts("#errors .error-title b") == ["no <b>price</b>", "HTTP 500"]
    assert page.texts("#errors a.button") == ["Retry these 3"]
    (address,) = page.attributes("#errors a.button", "href")
    (group,) = [g for g in store.results.errors(run) if g.title.startswith("no ")]
    assert address == (
        f"/runs/{run}/tasks/confirm?verb=retry&state=failed&group={quote(group.fingerprint)}"
    )


def test_charts_have_what_was_measured(client: TestClient, store: Store) -> None:
    run = a_run(store, 2)
    store.history.note(
        run, Measured(statuses={"200": 8, "429": 2}, latency={20: 9, 40: 1}, classes={"blocked": 2})
    )
    page = read(client, f"/runs/{run}")
    (encoded,) = page.attributes("[data-points]", "data-points")
    points = msgspec.json.decode(encoded)
    charts = {chart["key"]: chart for chart in points["charts"]}
    names = {key: [series["name"] for series in chart["series"]] for key, chart in charts.items()}
    assert names == {
        "throughput": ["completed", "failed"],
        "latency": ["p50", "p95"],
        "statuses": ["200", "429"],
        "classes": ["blocked"],
    }
    seconds = (points["at"][-1] - points["at"][0]) / (len(points["at"]) - 1)
    answers = sum(charts["statuses"]["series"][0]["values"]) * seconds
    assert 0 < answers <= 8.5
    assert points["at"][-1] <= datetime.now(UTC).timestamp() + 1


def test_a_run_is_paused_resumed_and_cancelled(client: TestClient, store: Store) -> None:
    run = a_mixed_run(store)
    assert client.post(f"/runs/{run}/pause").status_code == 200
    assert store.runs.get(run).paused
    assert "Resume" in read(client, f"/runs/{run}").texts("#actions button")
    client.post(f"/runs/{run}/unpause")
    assert not store.runs.get(run).paused
    asked = read(client, f"/runs/{run}/cancel")
    assert asked.text("#confirm button") == "Cancel 3 tasks"
    assert store.runs.get(run).state is RunState.OPEN
    client.post(f"/runs/{run}/cancel")
    assert store.runs.get(run).state is RunState.CANCELLED
    assert store.runs.counts(run).cancelled == 3
    verbs = [action.verb for action in store.actions.find()]
    assert verbs == ["run cancel", "run unpause", "run pause"]


def test_only_a_run_that_has_ended_is_removed(client: TestClient, store: Store) -> None:
    run = a_mixed_run(store)
    assert client.post(f"/runs/{run}/remove").status_code == 409
    store.runs.cancel(run)
    asked = read(client, f"/runs/{run}/remove")
    assert asked.text("#confirm button") == "Remove 12 tasks"
    client.post(f"/runs/{run}/remove")
    assert store.runs.find() == []
    assert read(client, f"/runs/{run}", status=404).text(".empty h2") == "There is nothing here"


def test_a_page_is_found_by_the_scrapers_name(client: TestClient, store: Store) -> None:
    run = a_run(store, 1, scraper="books")
    assert client.get("/runs/books").url.path == f"/runs/{run}"


def test_targets_of_a_scraper_that_is_not_registered_are_added_by_a_command(
    client: TestClient, store: Store
) -> None:
    run = a_run(store, 1)
    assert f"--resume {run}" in read(client, f"/runs/{run}/targets").text(".empty code")
    answer = client.post(f"/runs/{run}/targets", data={"targets": "https://shop.example/1"})
    assert answer.status_code == 422
    assert store.runs.counts(run).total == 1


def test_a_reader_changes_nothing(client: TestClient, store: Store) -> None:
    run = a_mixed_run(store)
    client.headers["authorization"] = f"Bearer {READER}"
    assert client.get(f"/runs/{run}").status_code == 200
    for address in ("pause", "unpause", "close", "cancel", "remove", "targets"):
        assert client.post(f"/runs/{run}/{address}").status_code == 403
    assert client.post("/errors/mute").status_code == 403
    assert store.actions.find() == []


def test_workers_and_settings_of_a_run_have_pages(client: TestClient, store: Store) -> None:
    run = a_run(store, 1, params={"city": "<i>Köln</i>"})
    worker = a_worker(store, name="barn-0")
    store.workers.tell(worker, {"run": run, "running": {run: 1}, "slots": 2, "busy": 1})
    other = a_worker(store, name="elsewhere")
    store.workers.tell(other, {"run": "another", "running": {"another": 1}})
    assert [row[0] for row in read(client, f"/runs/{run}/workers").rows()] == ["barn-0"]
    settings = read(client, f"/runs/{run}/settings")
    assert '"city": "<i>Köln</i>"' in settings.text("pre")
