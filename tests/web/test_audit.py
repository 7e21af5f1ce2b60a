"""The audit log: who did what to whom, and how it ended."""

import pytest
from starlette.testclient import TestClient

from swather.store import Store
from swather.web.pages import audit
from tests.store.given import a_run
from tests.web.html import read


def some_actions(store: Store, run: str) -> list[int]:
    def begin(verb: str, subject: str, **given: int) -> int:
        return store.actions.begin(
            actor="admin@10.0.0.7", verb=verb, subject=subject, detail={"a": 1}, **given
        )

    done = begin("run pause", run)
    store.actions.end(done)
    broken = begin("run cancel", run, total=9)
    store.actions.advance(broken, 4)
    store.actions.end(broken, done=4, error="the database went away")
    running = begin("tasks retry", run, total=1_000)
    store.actions.advance(running, 250)
    other = begin("workers start", "fleet")
    store.actions.end(other)
    return [other, running, broken, done]


def test_every_action_is_listed_the_newest_first(client: TestClient, store: Store):
    run = a_run(store)
    numbers = some_actions(store, run)
    page = read(client, "/audit")
    rows = page.rows()
    assert [int(row[0]) for row in rows] == numbers
    assert [row[2] for row in rows] == ["admin@10.0.0.7"] * 4
    assert [row[3] for row in rows] == ["workers start", "tasks retry", "run cancel", "run pause"]
    assert [row[4] for row in rows] == ["fleet", run, run, run]
    ended = [row[6] for row in rows]
    assert ended == ["done", "running 250 of 1,000", "failed the database went away", "done"]
    assert page.attributes("tbody td:nth-child(5) a", "href") == ["/workers", *[f"/runs/{run}"] * 3]


def test_the_log_goes_back_page_by_page(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(audit, "PAGE", 3)
    numbers = some_actions(store, a_run(store))
    page = read(client, "/audit")
    older = read(client, page.attributes("a[rel=next]", "href")[0])
    assert [int(row[0]) for row in page.rows() + older.rows()] == numbers
    assert page.attributes("main", "data-live") == ["/audit/live"]
    assert older.attributes("main", "data-live") == [""]


def test_each_action_has_a_page_that_says_how_far_it_is(client: TestClient, store: Store):
    run = a_run(store)
    other, running, broken, done = some_actions(store, run)
    assert "250 of 1,000 so far" in read(client, f"/actions/{running}").text("#action")
    failed = read(client, f"/actions/{broken}").text("#action")
    assert "the database went away" in failed
    assert "4 of 9 were done before" in failed
    for number in (other, done):
        assert "Done:" in read(client, f"/actions/{number}").text("#action")


def test_nothing_done_yet_is_said(client: TestClient) -> None:
    assert "Nobody has done anything yet" in read(client, "/audit").html
