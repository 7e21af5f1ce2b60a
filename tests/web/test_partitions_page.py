"""The pages of partitions and of sources: tiles and days with the numbers of the store."""

import pytest
from starlette.testclient import TestClient

from swather.model.source import Answer, SourceNote
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, finish, targets
from tests.web.seen import HOSTILE, assert_shown_as_text, cells, done, seen, words


def a_run_of_states(store: Store, **sizes: int) -> str:
    run = a_run(store)
    for partition, size in sizes.items():
        given = [f"{partition}{number}" for number in range(size)]
        store.tasks.enqueue(run, targets(given, partition=partition))
    return run


def test_a_tile_says_who_serves_a_partition_and_how_far_it_is(
    client: TestClient, store: Store
) -> None:
    run = a_run_of_states(store, ohio=4, utah=2)
    worker = a_worker(store, name="anna")
    store.partitions.take(worker, run, ["ohio"])
    store.partitions.plan(run, {"utah": 3})
    first, *_ = claim(store, worker, 2)
    finish(store, completed(first))
    ohio, utah = (words(each) for each in seen(client, "/partitions").css(".tile"))
    assert ohio == "ohio 1 completed 1 running 2 ready 25 % anna 1 of 4 done"
    assert utah == "utah 2 ready 0 % nobody serves it 0 of 2 done, planned for worker 3"


def test_large_runs_are_not_counted(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("swather.web.pages.partitions.MOST_COUNTED", 5)
    monkeypatch.setattr("swather.web.pages.partitions.MOST", 1)
    run = a_run_of_states(store, ohio=4, utah=2)
    page = seen(client, f"/partitions?run={run}")
    assert [words(each) for each in page.css(".tile")] == ["ohio nobody serves it"]
    said = words(page.css_first("#partitions"))
    assert "1 more are not shown" in said
    assert "not counted here" in said


def test_names_of_partitions_are_text(client: TestClient, store: Store) -> None:
    run = a_run(store)
    store.tasks.enqueue(run, targets(["x"], partition=HOSTILE))
    assert_shown_as_text(client, "/partitions")
    assert client.get("/partitions?run=nothing").status_code == 404


def test_without_partitions_the_page_says_where_they_come_from(
    sqlite_client: TestClient, sqlite: Store
) -> None:
    assert "There are no runs yet" in words(seen(sqlite_client, "/partitions").css_first(".empty"))
    a_run(sqlite, 1)
    said = words(seen(sqlite_client, "/partitions").css_first(".empty"))
    assert "This run has no partitions" in said


def a_source(store: Store, name: str, *answers: Answer, error: str = "HTTP 500") -> None:
    a_run(store, 1, scraper="media")
    (lease,) = claim(store, a_worker(store), 1)
    notes = [
        SourceNote(
            name=name,
            answer=answer,
            seconds=2.0,
            error="" if answer is Answer.SUCCEEDED else error,
        )
        for answer in answers
    ]
    finish(store, completed(lease, sources=notes))


def test_a_source_has_its_numbers_and_can_be_asked_again(client: TestClient, store: Store) -> None:
    a_source(store, "flickr", Answer.SUCCEEDED, Answer.FAILED, Answer.FAILED, Answer.FAILED)
    page = seen(client, "/sources")
    (row,) = page.css("tbody tr")
    shown = cells(row)
    assert shown["asked"] == "4"
    assert shown["succeeded"] == "25%"
    assert shown["mean time"] == "2.0s"
    assert "open" in words(row)
    assert "HTTP 500 (3)" in words(row)
    titles = [each.attributes["title"] for each in row.css(".squares > *")]
    assert titles[-1] == "today: 1 of 4 succeeded, 2.0s each"
    assert titles[0] == "6 days ago: not asked"
    client.post("/sources/reset", data={"scraper": "media", "source": "flickr"})
    assert "closed" in words(seen(client, "/sources").css_first("tbody tr"))
    assert done(store) == [("source reset", "flickr")]


def test_what_sources_say_is_text(client: TestClient, store: Store) -> None:
    a_source(store, HOSTILE, Answer.FAILED, error=HOSTILE)
    assert_shown_as_text(client, "/sources")


def test_without_sources_the_page_says_what_to_type(sqlite_client: TestClient) -> None:
    assert "swather run media" in words(seen(sqlite_client, "/sources").css_first(".empty"))
