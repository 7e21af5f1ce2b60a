"""What runs have found, on pages: items as a table, files as thumbnails and downloads."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from swather.model.run import NewRun
from swather.model.task import Target
from swather.store import Store
from swather.web.pages import results as results_pages
from tests.store.given import a_run, a_worker, claim, completed, finish, items
from tests.web.html import read
from tests.web.test_tasks_pages import HOSTILE, refuse_markup

BOOKS = [
    {"title": f"Book {n}", "price": n + 0.5, "url": f"https://e.example/{n}"} for n in range(7)
]


def a_run_with(store: Store, *found: Any) -> str:
    run = a_run(store, 1)
    (lease,) = claim(store, a_worker(store), runs=(run,))
    finish(store, completed(lease, *found))
    assert len(items(store, run)) == len(found)
    return run


def test_items_are_a_table_with_the_columns_that_they_have(client: TestClient, store: Store):
    run = a_run_with(store, *BOOKS)
    for address in (f"/runs/{run}/results", "/results", f"/results?run={run}"):
        page = read(client, address)
        assert page.texts("thead th")[:3] == ["title", "price", "url"]
        shown = [row[:3] for row in page.rows()]
        assert shown == [[str(value) for value in book.values()] for book in BOOKS[::-1]]
        assert [json.loads(text) for text in page.texts("details pre")] == BOOKS[::-1]
        assert page.attributes("tbody td:nth-child(3) a", "href") == [
            str(book["url"]) for book in BOOKS[::-1]
        ]
        assert "7 items" in page.text("main")
        formats = [href.rpartition("=")[2] for href in page.attributes("a[download]", "href")]
        assert {"jsonl", "csv", "json"} <= set(formats)
        assert page.attributes("a[download]", "href")[0].startswith(f"/api/v1/runs/{run}/export?")


def test_a_search_finds_all_items_with_a_text_page_by_page(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(results_pages, "PAGE", 2)
    run = a_run_with(store, *BOOKS, {"other": "BOOK nine"}, "a text with book", 7, None, ["list"])
    for text, expected in (("", 12), ("book", 9), ("book 3", 1), ("nothing like it", 0)):
        address, seen = f"/runs/{run}/results?text={text}", 0
        while address:
            page = read(client, address)
            seen += len(page.rows())
            older = page.attributes("a[rel=next]", "href")
            address = older[0] if older else ""
        assert seen == expected, text
    assert "No item has this text" in read(client, f"/runs/{run}/results?text=zebra").html


def test_items_of_any_shape_are_shown(client: TestClient, store: Store):
    wide = {f"column {n}": n for n in range(20)}
    run = a_run_with(store, "text", 3, None, [1, 2], {}, {"nested": {"a": [1]}}, wide)
    page = read(client, f"/runs/{run}/results")
    assert len(page.rows()) == 7
    assert len(page.texts("thead th")) == 8 + 2
    assert "more members are only in the JSON" in page.html


def test_nothing_found_yet_says_what_to_do(client: TestClient, store: Store):
    assert "swather run" in read(client, "/results").text(".empty")
    run = a_run(store, 1)
    assert "No items yet" in read(client, f"/runs/{run}/results").html
    assert "No items yet" in read(client, "/results").html
    assert "no files" in read(client, f"/runs/{run}/files").text(".empty")
    assert "Nothing is in the log" in read(client, f"/runs/{run}/log").html
    for address, status in (
        ("/results?run=nowhere", 404),
        ("/results?before=x", 422),
        (f"/runs/{run}/results?text=a%00b", 422),
        (f"/runs/{run}/files?before=1.2.3.4.5", 422),
        ("/runs/nowhere/files", 404),
        ("/runs/nowhere/log", 404),
    ):
        read(client, address, status=status)


def test_found_text_is_shown_as_text_and_its_links_run_nothing(client: TestClient, store: Store):
    run = a_run_with(
        store,
        {HOSTILE: HOSTILE, "link": "javascript:alert(1)", "long": "x" * 5_000_000},
        {"link": "https://user:hidden-canary@e.example/", "password": "hidden-canary"},
        {"link": 'https://e.example/"><script>alert(1)</script>'},
    )
    page = read(client, f"/runs/{run}/results")
    refuse_markup(page.html, 60_000)
    links = page.attributes("main a", "href")
    assert not [link for link in links if not link.startswith(("/", "https://e.example/"))]


def test_addresses_in_pages_are_escaped_once(client: TestClient, store: Store):
    run = store.runs.create(NewRun(scraper="books", name='a & "b" é?#%')).name
    store.tasks.enqueue(run, [Target(value=1)])
    base = f"/runs/{quote(run, safe='')}"
    page = read(client, f"{base}/tasks")
    links = {unescape(link) for link in page.attributes(".tabs a", "href")}
    assert f"{base}/results" in links
    for link in sorted(links):
        if re.search("/(tasks|results|files|log)$", link):
            assert run in read(client, link).text("h1")
