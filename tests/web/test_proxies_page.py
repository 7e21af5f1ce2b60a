"""The page of proxies: a map of how each fares where, without passwords."""

from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from swather.model.proxy import BlacklistRule, ProxyFault, ProxyReport, ProxyState
from swather.model.proxy_list import parse_proxies
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

if TYPE_CHECKING:
    from playwright.sync_api import Page

RULE = BlacklistRule(3, 600.0)


def some_proxies(store: Store, count: int = 3) -> list[int]:
    lines, _ = parse_proxies(f"http://me{n}:hunter2@10.0.0.{n}:80" for n in range(1, count + 1))
    store.proxies.load(lines, source="list.txt", replace=False)
    return [row.id for row in store.proxies.find()]


def states(store: Store) -> list[ProxyState]:
    return [row.state for row in store.proxies.find()]


def test_a_cell_is_the_share_of_requests_that_succeeded(client: TestClient, store: Store) -> None:
    first, second, _ = some_proxies(store)
    store.proxies.report(
        [
            ProxyReport(first, "a.example", successes=98, faults={ProxyFault.TIMEOUT: 2}),
            ProxyReport(first, "b.example", successes=1, ended_well_last=True),
            ProxyReport(second, "a.example", faults={ProxyFault.BANNED: 5}, error="HTTP 403"),
        ],
        RULE,
    )
    page = seen(client, "/proxies")
    assert [words(each) for each in page.css("thead .site")] == ["a.example", "b.example"]
    one, two, three = page.css("tbody tr")
    assert cells(one)["a.example"] == "98%"
    assert cells(one)["b.example"] == "100%"
    assert cells(one)["requests"] == "101"
    assert cells(two)["a.example"].startswith("0%")
    assert cells(three)["a.example"] == "·"
    assert "failed: banned 5; last: HTTP 403" in str(two.html)
    assert "hunter2" not in client.get("/proxies").text
    detail = client.get(f"/proxies/{second}").text
    assert "banned 5" in detail
    assert "hunter2" not in detail
    assert client.get("/proxies/999").status_code == 404


def test_proxies_are_switched_off_and_on_one_by_one(client: TestClient, store: Store) -> None:
    first, *_ = some_proxies(store)
    client.post(f"/proxies/{first}/disable")
    assert states(store)[0] is ProxyState.DISABLED
    client.post(f"/proxies/{first}/enable")
    assert states(store)[0] is ProxyState.USABLE
    assert [verb for verb, _ in done(store)] == ["proxy disable", "proxy enable"]
    assert "hunter2" not in str(done(store))
    assert client.post("/proxies/999/enable").status_code == 404


def test_all_that_match_are_disabled_after_a_question(client: TestClient, store: Store) -> None:
    some_proxies(store, 12)
    asked = seen(client, "/proxies/confirm?text=10.0.0.1&verb=disable")
    assert words(asked.css_first("#confirm button")) == "Disable 4 proxies"
    assert set(states(store)) == {ProxyState.USABLE}
    client.post("/proxies/disable", data={"text": "10.0.0.1", "state": ""})
    assert states(store).count(ProxyState.DISABLED) == 4
    client.post("/proxies/enable", data={"state": "disabled"})
    assert set(states(store)) == {ProxyState.USABLE}


def test_pages_and_filters(
    sqlite_client: TestClient, sqlite: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("swather.web.pages.proxies.PAGE", 5)
    ids = some_proxies(sqlite, 12)
    sqlite.proxies.disable(ids[:2])
    page = seen(sqlite_client, "/proxies?page=3")
    assert len(page.css("tbody tr")) == 2
    assert "11 to 12 of 12" in words(page.css_first(".pager"))
    assert "disabled 2" in words(page.css_first(".states"))
    assert len(seen(sqlite_client, "/proxies?state=disabled").css("tbody tr")) == 2
    assert sqlite_client.get("/proxies?state=nonsense").status_code == 422
    assert sqlite_client.get("/proxies?page=0").status_code == 422


def test_a_reader_changes_no_proxy(client: TestClient, store: Store) -> None:
    first, *_ = some_proxies(store)
    assert_only_for_reading(client, "/proxies")
    assert_only_for_reading(client, f"/proxies/{first}")
    for address in (f"/proxies/{first}/disable", "/proxies/disable", "/proxies/enable"):
        assert client.post(address).status_code == 403
    assert set(states(store)) == {ProxyState.USABLE}


def test_what_sites_and_proxies_say_is_text(client: TestClient, store: Store) -> None:
    first, *_ = some_proxies(store)
    report = ProxyReport(first, HOSTILE, faults={ProxyFault.BANNED: 1}, error=HOSTILE)
    store.proxies.report([report], RULE)
    assert_shown_as_text(client, "/proxies")
    assert_shown_as_text(client, f"/proxies/{first}")


def test_without_proxies_the_page_says_what_to_type(sqlite_client: TestClient) -> None:
    said = words(seen(sqlite_client, "/proxies").css_first(".empty"))
    assert "swather proxies import proxies.txt" in said


def test_the_map_follows_without_a_reload(page: "Page", sqlite: Store) -> None:
    first, _ = some_proxies(sqlite, 2)
    page.goto("/proxies")
    page.evaluate("document.body.dataset.kept = 'yes'")
    assert page.inner_text("#states").split() == ["all", "2", "usable", "2"]
    sqlite.proxies.disable([first])
    page.wait_for_selector("#states >> text=disabled 1")
    assert page.inner_text("#proxies tbody tr:first-child .chip") == "disabled"
    assert page.evaluate("document.body.dataset.kept") == "yes"
