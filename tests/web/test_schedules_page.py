"""The page of schedules: when each is due, and who switches it off."""

from datetime import timedelta

from starlette.testclient import TestClient

from swather.model.schedule import NewSchedule
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


def a_schedule(store: Store, name: str = "nightly", hours: float = 5, **fields: str) -> None:
    new = NewSchedule(name=name, scraper="books", cron="0 2 * * *", **fields)
    store.schedules.add(new, store.schedules.now() + timedelta(hours=hours))


def test_a_row_says_when_it_is_due_and_what_became_of_the_last_time(
    client: TestClient, store: Store
) -> None:
    a_schedule(store, hours=-1)
    (due,) = store.schedules.due()
    store.schedules.fail_due(due, store.schedules.now() + timedelta(hours=5), "no targets there")
    (row,) = seen(client, "/schedules").css("#schedules tbody tr")
    assert words(row.css_first("th")) == "nightly"
    assert "At 02:00 every day 0 2 * * * UTC" in words(row)
    assert cells(row)["next"].startswith(("in 4h 59m", "in 5h"))
    assert "no targets there" in cells(row)["last time"]
    page = seen(client, "/schedules/show?name=nightly")
    assert "failed" in words(page.css_first("tbody tr"))


def test_one_that_nobody_fires_is_told(client: TestClient, store: Store) -> None:
    a_schedule(store, hours=-1)
    assert "has been due for 1h" in words(seen(client, "/schedules").css_first(".notice"))


def test_it_is_switched_off_and_on_again(client: TestClient, store: Store) -> None:
    a_schedule(store)
    client.post("/schedules/disable", data={"name": "nightly"})
    assert not store.schedules.get("nightly").enabled
    assert "disabled" in words(seen(client, "/schedules").css_first("tbody tr"))
    client.post("/schedules/enable", data={"name": "nightly"})
    found = store.schedules.get("nightly")
    assert found.enabled
    assert found.due_seconds > 0
    assert done(store) == [("schedule disable", "nightly"), ("schedule enable", "nightly")]
    assert client.post("/schedules/disable", data={"name": "other"}).status_code == 404


def test_it_is_run_now(client: TestClient, store: Store) -> None:
    a_schedule(store)
    client.post("/schedules/fire", data={"name": "nightly"})
    assert [each.name for each in store.schedules.due()] == ["nightly"]
    assert done(store) == [("schedule fire", "nightly")]
    store.schedules.disable("nightly")
    assert client.post("/schedules/fire", data={"name": "nightly"}).status_code == 422
    assert client.post("/schedules/fire", data={"name": "other"}).status_code == 404


def test_it_is_removed_only_after_a_question(client: TestClient, store: Store) -> None:
    a_schedule(store)
    asked = seen(client, "/schedules/remove?name=nightly")
    assert words(asked.css_first("#confirm button")) == "Remove the schedule"
    assert store.schedules.find()
    client.post("/schedules/remove", data={"name": "nightly"})
    assert store.schedules.find() == []


def test_a_reader_changes_no_schedule(client: TestClient, store: Store) -> None:
    a_schedule(store)
    assert_only_for_reading(client, "/schedules")
    assert_only_for_reading(client, "/schedules/show?name=nightly")
    for verb in ("disable", "enable", "fire", "remove"):
        answer = client.post(f"/schedules/{verb}", data={"name": "nightly"})
        assert answer.status_code == 403
    assert store.schedules.get("nightly").enabled


def test_names_of_schedules_are_text(client: TestClient, store: Store) -> None:
    a_schedule(store, HOSTILE, origin=HOSTILE)
    assert_shown_as_text(client, "/schedules")
    link = seen(client, "/schedules").css_first("tbody th a")
    assert link is not None
    assert_shown_as_text(client, str(link.attributes["href"]))


def test_without_schedules_the_page_says_what_to_type(sqlite_client: TestClient) -> None:
    said = words(seen(sqlite_client, "/schedules").css_first(".empty"))
    assert "swather schedules add books" in said
