"""The page of lanes: what holds one back comes first, and what is set there holds."""

import pytest
from starlette.testclient import TestClient

from swather.model.history import Measured
from swather.model.lane import PacedKind
from swather.model.pacing import CoolDownCurve, Limits
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, finish
from tests.web.seen import (
    HOSTILE,
    assert_only_for_reading,
    assert_shown_as_text,
    cells,
    done,
    seen,
    words,
)

SHOW = "/lanes/show?name=a.example&kind=lane"


def names(client: TestClient, address: str = "/lanes") -> list[str]:
    return [words(each) for each in seen(client, address).css("#lanes tbody th a")]


def test_lanes_that_are_held_back_come_first(client: TestClient, store: Store) -> None:
    store.lanes.limit("slow.example", Limits(0.5))
    store.lanes.limit("books", Limits(0.1, 5), PacedKind.SCRAPER)
    store.lanes.strike(
        "angry.example", retry_after_seconds=600.0, reason="HTTP 429", curve=CoolDownCurve()
    )
    store.breakers.trip("books", "broken.example", seen={}, probe_seconds=60.0)
    store.lanes.pause("paused.example")
    rows = seen(client, "/lanes").css("#lanes tbody tr")
    shown = {words(row.css_first("th a")): row for row in rows}
    assert list(shown) == [
        "paused.example",
        "angry.example",
        "broken.example",
        "books",
        "slow.example",
    ]
    assert "cooling after HTTP 429" in words(shown["angry.example"])
    assert cells(shown["angry.example"])["strikes"] == "1"
    assert " in " in cells(shown["angry.example"])["cooling until"]
    assert cells(shown["slow.example"])["pace"] == "2/s"
    assert "breaker open for books" in words(shown["broken.example"])
    assert "Resume" in words(shown["paused.example"])


def test_a_lane_that_only_a_run_limits_is_shown_while_its_tasks_wait(
    client: TestClient, store: Store
) -> None:
    a_run(store, 5, lane="a.example", lane_limits=Limits(0.5))
    (lease,) = claim(store, a_worker(store), 5)
    finish(store, completed(lease))
    (row,) = seen(client, "/lanes").css("#lanes tbody tr")
    assert (cells(row)["pace"], cells(row)["in flight"]) == ("2/s", "0")
    assert "paced" in words(row)


def test_in_flight_is_what_workers_hold(client: TestClient, store: Store) -> None:
    a_run(store, 5, lane="a.example")
    store.lanes.limit("a.example", Limits(in_flight=3))
    claim(store, a_worker(store), 5)
    (row,) = seen(client, "/lanes").css("#lanes tbody tr")
    assert cells(row)["in flight"] == "3 of 3"
    assert "full" in words(row)


def test_those_held_back_are_shown_however_many_there_are(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("swather.web.pages.lanes.MOST", 3)
    for number in range(5):
        store.lanes.limit(f"{number}.example", Limits(1.0))
    store.lanes.pause("z.example")
    assert names(client) == ["z.example", "0.example", "1.example"]
    assert "Only 3 are shown" in words(seen(client, "/lanes").css_first("#lanes"))
    assert names(client, "/lanes?q=4.EX") == ["4.example"]
    assert names(client, "/lanes?q=nowhere") == []


def test_the_share_of_429_is_that_of_the_answers(client: TestClient, store: Store) -> None:
    run = a_run(store, 1)
    store.history.note(run, Measured(statuses={"200": 60, "429": 30, "503": 10}))
    (row,) = seen(client, "/lanes").css("#answers tbody tr")
    assert cells(row) == {"429": "30.0%", "503": "10.0%", "403": "0%"}


def test_each_lane_has_its_share_of_429(client: TestClient, store: Store) -> None:
    run = a_run(store, 1)
    for name in ("a.example", "b.example", "c.example"):
        store.lanes.limit(name, Limits(1.0))
    store.lanes.limit("books", Limits(1.0), PacedKind.SCRAPER)
    store.history.note(run, Measured(lanes={"a.example": (80, 10), "b.example": (5, 0)}))

    def shares() -> dict[str, str]:
        rows = seen(client, "/lanes").css("#lanes tbody tr")
        return {words(row.css_first("th a")): cells(row)["429, last hour"] for row in rows}

    nothing = "\N{EN DASH}"
    assert shares() == {
        "a.example": "12.5%", "b.example": "0%", "books": nothing, "c.example": nothing
    }  # fmt: skip
    assert "429, last hour, of 80 answers 12.5%" in words(seen(client, SHOW).css_first("#lane"))
    store.history.note(run, Measured(lanes_left_out=7))
    assert shares()["a.example"] == "about 12.5%"


def test_pause_and_resume_are_obeyed_and_written_down(client: TestClient, store: Store) -> None:
    which = {"name": "a.example", "kind": "lane"}
    answer = client.post("/lanes/pause", data={**which, "back": "list"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/lanes")
    assert store.lanes.get("a.example").paused
    store.breakers.trip("books", "a.example", seen={}, probe_seconds=60.0)
    client.post("/lanes/cool", data={**which, "time": "10m"})
    assert store.lanes.get("a.example").cool_until is not None
    client.post("/lanes/unpause", data=which)
    found = store.lanes.get("a.example")
    assert (found.paused, found.cool_until) == (False, None)
    assert store.breakers.find() == []
    assert done(store) == [
        ("lane pause", "a.example"),
        ("lane cool", "a.example"),
        ("lane unpause", "a.example"),
    ]


def test_limits_are_set_as_they_were_typed(client: TestClient, store: Store) -> None:
    form = {"name": "http://a.example/x", "rate": "30/min", "burst": "4", "in_flight": "7"}
    client.post("/lanes/limits", data={**form, "override": "yes"})
    found = store.lanes.get("a.example")
    assert (found.limits, found.overrides) == (Limits(2.0, 4, 7), True)
    page = seen(client, SHOW)
    values = {
        each.attributes["name"]: each.attributes.get("value")
        for each in page.css("form[action='/lanes/limits'] input")
    }
    assert values == {
        "name": "a.example",
        "kind": "lane",
        "rate": "30/min",
        "burst": "4",
        "in_flight": "7",
        "override": "yes",
    }
    assert "30/min, 4 at once, at most 7 in flight, replaces" in words(page.css_first("#lane"))
    client.post("/lanes/limits", data={"name": "a.example"})
    assert store.lanes.get("a.example").limits == Limits()
    assert not store.lanes.get("a.example").overrides


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("rate", "fast", "a rate looks like"),
        ("rate", "0/s", "a rate looks like"),
        ("in_flight", "0", "expected a whole number of at least 1"),
        ("in_flight", "-1", "expected a whole number of at least 1"),
        ("in_flight", "9" * 30, "expected a whole number of at least 1"),
        ("burst", "x", "a burst needs a rate"),
        ("override", "yes", "there is no limit here"),
    ],
)
def test_what_is_wrong_is_said_next_to_the_field(
    sqlite_client: TestClient, sqlite: Store, field: str, value: str, said: str
) -> None:
    answer = sqlite_client.post("/lanes/limits", data={"name": "a.example", field: value})
    assert answer.status_code == 422
    hint = answer.text.split(f'id="{field}-hint"')[1].split("</p>")[0]
    assert 'class="error"' in hint
    assert said in hint
    assert done(sqlite) == []


def test_clearing_asks_first(client: TestClient, store: Store) -> None:
    store.lanes.limit("a.example", Limits(2.0))
    store.lanes.pause("a.example")
    asked = seen(client, "/lanes/clear?name=a.example&kind=lane")
    assert words(asked.css_first("#confirm h1")) == "Clear lane a.example?"
    assert store.lanes.get("a.example").paused
    client.post("/lanes/clear", data={"name": "a.example", "kind": "lane"})
    found = store.lanes.get("a.example")
    assert (found.limits, found.paused) == (Limits(), False)


def test_a_reader_changes_no_lane(client: TestClient, store: Store) -> None:
    store.lanes.limit("a.example", Limits(2.0))
    assert_only_for_reading(client, "/lanes")
    assert_only_for_reading(client, SHOW)
    for verb in ("pause", "unpause", "limits", "cool", "clear"):
        answer = client.post(f"/lanes/{verb}", data={"name": "a.example"})
        assert answer.status_code == 403
    assert store.lanes.get("a.example").limits == Limits(2.0)


def test_hostile_names_of_lanes_are_text(client: TestClient, store: Store) -> None:
    store.lanes.cool(HOSTILE, 60.0, HOSTILE)
    assert_shown_as_text(client, "/lanes")
    address = seen(client, "/lanes").css_first("#lanes tbody th a")
    assert address is not None
    assert_shown_as_text(client, str(address.attributes["href"]))
    for wrong in ("", "%00", "x" * 2_000):
        assert client.get(f"/lanes/show?name={wrong}").status_code == 422
    assert client.get("/lanes/show?name=a&kind=queue").status_code == 422


def test_without_lanes_the_page_says_what_to_type(sqlite_client: TestClient) -> None:
    said = words(seen(sqlite_client, "/lanes").css_first(".empty"))
    assert "swather lanes set example.com --rate 2/s" in said
