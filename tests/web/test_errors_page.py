"""The page of errors: groups over all runs, muted and unmuted."""

from starlette.testclient import TestClient

from swather.store import Store
from tests.store.given import a_fault, a_run, a_worker, claim, failed, finish
from tests.web.html import read


def failing_runs(store: Store) -> list[str]:
    """The same failure in two runs, twice and three times."""
    worker = a_worker(store)
    runs = []
    for number in (2, 3):
        run = a_run(store, number)
        fault = a_fault("HTTP 404 from https://shop.example/<script>", traceback="at <script>")
        finish(store, *(failed(each, fault=fault) for each in claim(store, worker, number)))
        runs.append(run)
    return runs


def test_the_same_failure_in_several_runs_is_one_group(client: TestClient, store: Store) -> None:
    runs = failing_runs(store)
    page = read(client, "/errors")
    assert len(page.texts(".error-groups > li")) == 1
    assert page.text(".error-groups b.t-failed") == "5 times"
    assert set(page.texts(".runs-of > li > a:first-child")) == set(runs)
    assert sorted(page.texts(".runs-of a.button")) == ["Retry these 2", "Retry these 3"]
    assert "<script>" not in page.html.replace("<script src=", "")


def test_a_group_is_muted_and_unmuted(client: TestClient, store: Store) -> None:
    run, other = failing_runs(store)
    (group,) = store.results.errors(run)
    form = {"run": run, "group": group.fingerprint}
    client.post("/errors/mute", data={**form, "muted": "true"})
    assert read(client, "/errors").texts(".runs-of > li > a:first-child") == [other]
    assert read(client, "/errors?show=muted").texts(".runs-of > li > a:first-child") == [run]
    assert read(client, f"/runs/{run}").texts("#errors li") == []
    client.post("/errors/mute", data={**form, "muted": "false"})
    assert len(read(client, "/errors").texts(".runs-of > li")) == 2
    assert (
        client.post("/errors/mute", data={**form, "group": "x", "muted": "true"}).status_code == 404
    )


def test_nothing_has_failed(client: TestClient) -> None:
    assert read(client, "/errors").text(".empty h2") == "Nothing has failed"
