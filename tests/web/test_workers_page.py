"""The page of workers and fleets: it says what is so, and what it changes is changed."""

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.testclient import TestClient

from swather import posix
from swather.model.run import NewRun
from swather.model.supervisor import NewSupervisor
from swather.model.worker import NewWorker
from swather.store import Store
from tests.web.seen import (
    HOSTILE,
    assert_only_for_reading,
    assert_shown_as_text,
    cells,
    done,
    seen,
    words,
)


def a_worker(store: Store, name: str, statistics: dict[str, object], version: str = "") -> int:
    new = NewWorker(process=posix.this_process(), name=name, version=version)
    number = store.workers.register(new)
    store.workers.tell(number, statistics)
    return number


def a_fleet(store: Store, **more: int) -> int:
    process = posix.this_process()
    return store.supervisors.register(NewSupervisor(process=process, name="home", wanted=2, **more))


def row(page: LexborHTMLParser, worker_id: int) -> LexborNode:
    found = page.css_first(f"#worker-{worker_id}")
    assert found is not None
    return found


BUSY = {
    "slots": 4,
    "busy": 3,
    "running": {"r1": 3},
    "waiting": {"lane": 1},
    "current": [
        {"task": 7, "run": "r1", "target": "http://a.example/7", "seconds": 65.0},
        {
            "task": 8,
            "run": "r1",
            "target": "http://user:hunter2@a.example/8",
            "seconds": 2.0,
            "waits_for": "lane a.example",
        },
    ],
    "recent": {"r1": {"ended": 30, "seconds": 10.0, "quiet_seconds": 0.1}},
    "completed": 1234,
    "failed": 5,
    "memory_bytes": 64_000_000,
}


def test_a_row_shows_what_a_worker_says_of_itself(client: TestClient, store: Store) -> None:
    number = a_worker(store, "w0", BUSY)
    found = row(seen(client, "/workers"), number)
    assert [span.attributes["class"] for span in found.css(".squares > span")] == [
        "s-running",
        "s-scheduled",
        "s-running",
        "idle",
    ]
    titles = [span.attributes["title"] for span in found.css(".squares > span")]
    assert titles[0].startswith("http://a.example/7, for 1m")
    assert "waits for lane a.example" in titles[1]
    said = words(found)
    assert "3 of 4 busy, 1 of them waiting" in said
    assert "working" in said
    numbers = cells(found)
    assert numbers["rate"] == "3/s"
    assert numbers["completed"] == "1,234"
    assert numbers["failed"] == "5"
    assert numbers["memory"] == "64.0 MB"
    assert numbers["run"] == "r1"
    assert posix.this_process().host in numbers["host"]
    assert "hunter2" not in said


def test_a_rate_is_that_of_runs_that_move(client: TestClient, store: Store) -> None:
    """What a run that is over did in its last minute says nothing of now."""
    over = {"ended": 300, "seconds": 1.0, "quiet_seconds": 200.0}
    slow = {"ended": 120, "seconds": 60.0, "quiet_seconds": 0.4}
    both = a_worker(store, "w0", {"slots": 4, "recent": {"over": over, "slow": slow}})
    idle = a_worker(store, "w1", {"slots": 4, "recent": {"over": over}})
    page = seen(client, "/workers")
    assert [cells(row(page, each))["rate"] for each in (both, idle)] == ["2/s", "0/s"]


def test_other_code_than_a_run_was_begun_with_is_flagged(client: TestClient, store: Store) -> None:
    store.runs.create(NewRun(name="r1", scraper="books", version="2"))
    old = a_worker(store, "old", {"run": "r1"}, version="books 1, pages 9")
    new = a_worker(store, "new", {"run": "r1"}, version="books 2, pages 9")
    page = seen(client, "/workers")
    assert "Other code: run r1 was started with version 2 of books" in words(row(page, old))
    assert "Other code" not in words(row(page, new))


def test_a_paused_worker_is_paused_in_the_store_and_written_down(
    client: TestClient, store: Store
) -> None:
    number = a_worker(store, "w0", {})
    assert client.post(f"/workers/{number}/pause", follow_redirects=False).status_code == 303
    assert store.workers.get(number).paused
    assert "Resume" in words(row(seen(client, "/workers"), number))
    client.post(f"/workers/{number}/unpause")
    assert not store.workers.get(number).paused
    assert done(store) == [("worker pause", "w0"), ("worker unpause", "w0")]
    assert client.post("/workers/999/pause").status_code == 404


def test_a_worker_is_drained_and_stopped_after_a_question(client: TestClient, store: Store) -> None:
    number = a_worker(store, "w0", {"slots": 2, "busy": 0})
    asked = seen(client, f"/workers/{number}/drain")
    assert words(asked.css_first("#confirm button")) == "Drain this worker"
    assert store.workers.get(number).leaving is None
    assert client.post(f"/workers/{number}/drain", follow_redirects=False).status_code == 303
    shown = words(row(seen(client, "/workers"), number))
    assert "draining" in shown
    assert "Resume" not in shown
    assert words(seen(client, f"/workers/{number}/stop").css_first("h1")) == "Stop worker w0?"
    client.post(f"/workers/{number}/stop")
    assert "stopping" in words(row(seen(client, "/workers"), number))
    assert [each.verb for each in store.actions.find()][:2] == ["worker stop", "worker drain"]
    refused = client.post(f"/workers/{number}/unpause")
    assert (refused.status_code, "is stopping and cannot be called back" in refused.text) == (
        409,
        True,
    )
    assert client.post("/workers/999/drain").status_code == 404


def test_a_fleet_is_scaled_to_numbers_that_make_sense(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store)
    client.post(f"/fleets/{fleet}/scale", data={"wanted": "5"})
    assert store.supervisors.get(fleet).wanted == 5
    assert "5 wanted" in words(seen(client, "/workers").css_first("#fleets"))
    for wrong in ("-1", "x", "", "100001", "1.5"):
        answer = client.post(f"/fleets/{fleet}/scale", data={"wanted": wrong})
        assert answer.status_code == 422, wrong
    assert store.supervisors.get(fleet).wanted == 5
    said = client.get(f"/fleets/{fleet}/cost", params={"wanted": 7}).text
    assert "7 workers: about" in said
    assert "No work waits" in said
    assert done(store) == [("fleet scale", "home")]


def test_a_fleet_that_scales_itself_takes_bounds_only(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store, minimum=1, maximum=4)
    answer = client.post(f"/fleets/{fleet}/scale", data={"wanted": "9"})
    assert answer.status_code == 422
    assert "scales itself between 1 and 4 workers" in answer.text
    client.post(f"/fleets/{fleet}/bounds", data={"minimum": "2", "maximum": "8"})
    found = store.supervisors.get(fleet)
    assert (found.minimum, found.maximum) == (2, 8)
    answer = client.post(f"/fleets/{fleet}/bounds", data={"minimum": "9", "maximum": "8"})
    assert answer.status_code == 422
    assert "must not be above the maximum" in answer.text


def test_a_fleet_is_stopped_only_after_a_question(client: TestClient, store: Store) -> None:
    fleet = a_fleet(store)
    store.supervisors.beat(
        fleet, {"workers": [{"number": n, "state": "up", "where": "here"} for n in range(2)]}
    )
    asked = seen(client, f"/fleets/{fleet}/stop")
    assert words(asked.css_first("#confirm button")) == "Stop 2 workers"
    assert store.supervisors.get(fleet).stops == 0
    client.post(f"/fleets/{fleet}/restart")
    client.post(f"/fleets/{fleet}/stop")
    found = store.supervisors.get(fleet)
    assert (found.restarts, found.stops) == (1, 1)
    assert done(store) == [("fleet restart", "home"), ("fleet stop", "home")]


def test_a_reader_sees_the_page_and_changes_nothing(client: TestClient, store: Store) -> None:
    number, fleet = a_worker(store, "w0", BUSY), a_fleet(store)
    assert_only_for_reading(client, "/workers")
    for address in (
        f"/workers/{number}/pause",
        f"/workers/{number}/drain",
        f"/workers/{number}/stop",
        f"/fleets/{fleet}/stop",
    ):
        assert client.post(address).status_code == 403
    assert not store.workers.get(number).paused
    assert store.supervisors.get(fleet).stops == 0


def test_names_of_others_are_shown_as_text(client: TestClient, store: Store) -> None:
    said = {
        "slots": 1,
        "busy": 1,
        "running": {HOSTILE: 1},
        "run": HOSTILE,
        "current": [{"task": 1, "run": HOSTILE, "target": HOSTILE, "waits_for": HOSTILE}],
        "trouble": HOSTILE,
    }
    a_worker(store, HOSTILE, said, version=HOSTILE)
    assert_shown_as_text(client, "/workers")


@pytest.mark.parametrize(
    "statistics", [{"slots": "x", "busy": [], "current": 5, "running": [1], "memory_bytes": -1}, {}]
)
def test_a_worker_that_says_nonsense_has_a_row(
    client: TestClient, store: Store, statistics: dict[str, object]
) -> None:
    number = a_worker(store, "w0", statistics)
    assert "w0" in words(row(seen(client, "/workers"), number))


def test_without_workers_the_page_says_what_to_type(sqlite_client: TestClient) -> None:
    page = seen(sqlite_client, "/workers")
    assert "swather fleet up books.py --workers 4" in words(page.css_first(".empty"))
    assert "swather serve --workers 4" in words(page.css_first("#fleets"))
