"""The database as a whole, over HTTP: the answers are those of the commands."""

from starlette.testclient import TestClient

from swather.model.task import Target
from swather.store import Store
from tests.api.test_nouns import got, posted
from tests.store.given import a_run, a_worker, claim, completed, finish


def test_stats_and_pragmas_are_those_of_the_store(client: TestClient, store: Store) -> None:
    run, worker = a_run(store, 5), a_worker(store)
    finish(store, *map(completed, claim(store, worker, 2)))
    stats = got(client, "db/stats")
    assert (stats["tasks"]["ready"], stats["tasks"]["completed"]) == (3, 2)
    (recent,) = stats["recent_runs"]
    assert (recent["run"], recent["waiting"], recent["completed"]) == (run, 3, 2)
    assert stats["runs"] == store.upkeep.stats()["runs"]
    pragmas = got(client, "db/pragmas")
    assert set(pragmas) == set(store.upkeep.pragmas())
    assert all(each["why"] for each in pragmas.values())


def test_a_check_is_written_down_and_says_what_is_wrong(client: TestClient, store: Store) -> None:
    a_run(store, 2)
    assert posted(client, "db/check") == {"ok": True, "wrong": []}
    assert store.actions.find()[0].verb == "db check"


def test_the_log_is_moved(client: TestClient, store: Store) -> None:
    answer = client.post("/api/v1/db/wal")
    if answer.status_code == 200:
        assert set(answer.json()) == set(store.upkeep.checkpoint_wal())
    else:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.status_code == 422


def test_wanted_workers_follow_the_backlog_and_its_bounds(client: TestClient, store: Store) -> None:
    run = a_run(store, 2_500)
    found = got(client, "wanted")
    assert (found["backlog"], found["workers"]) == (2_500, 0)
    assert found["wanted"] == 3
    assert found["runs"][0]["run"] == run
    assert got(client, "wanted", run=run, maximum=2)["wanted"] == 2
    assert got(client, "wanted", scraper="other")["backlog"] == 0
    assert client.get("/api/v1/wanted?run=nope").status_code == 404
    assert client.get("/api/v1/wanted?maximum=0").status_code == 422


def test_a_plan_is_compared_with_the_partitions_of_a_run(client: TestClient, store: Store) -> None:
    run = a_run(store, 0)
    targets = [Target(value=name, partition=name) for name in ("north", "south")]
    store.tasks.enqueue(run, targets)
    address = f"runs/{run}/partitions/check"
    good = posted(client, address, {"plan": {"0": ["north"], "1": ["south"]}})
    assert good == {"valid": True, "workers": 2, "partitions": 2, "mistakes": []}
    bad = posted(client, address, {"plan": {"0": ["north", "moon"], "1": ["north"]}})
    assert not bad["valid"]
    assert {"duplicate", "missing", "unknown"} <= {each["kind"] for each in bad["mistakes"]}
    posted(client, address, {"plan": {"x": ["north"]}}, 422)
