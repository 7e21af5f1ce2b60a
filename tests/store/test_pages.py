"""Stored pages: found again by their task and request, each body stored once."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from swather.errors import InputError, NotFound
from swather.model.stored_page import StoredPage, request_key
from swather.store import Store
from swather.store.clock import Clock
from swather.store.writer import Writer
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish
from tests.store.threads import together

HTML = b"<html>" + b"<p>word</p>" * 1_000


def a_page(task_id: int = 1, url: str = "https://example.com/", **fields) -> StoredPage:
    values = {
        "request_key": request_key("GET", url),
        "method": "GET",
        "url": url,
        "status": 200,
        "headers": [("Content-Type", "text/html"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")],
        "content": HTML,
    }
    return StoredPage(task_id=task_id, **{**values, **fields})


def bodies(database: Database) -> int:
    return database.rows("SELECT count(*) FROM bodies")[0][0]


def test_a_page_is_read_back_as_it_was(store: Store, other: Store):
    run, page = a_run(store), a_page(url="https://example.com/ä?b=1")
    store.pages.put(run, [page])
    found = other.pages.get(run, 1, page.request_key)
    assert found is not None
    assert found.fetched_at is not None
    assert found.fetched_at.utcoffset() == timedelta(0)
    assert (found.method, found.url, found.status) == ("GET", "https://example.com/ä?b=1", 200)
    assert found.headers == page.headers
    assert found.content == HTML


@pytest.mark.parametrize("content", [b"", b"x", b"\x00\xff", Random(1).randbytes(100_000)])
def test_any_bytes_come_back(store: Store, content):
    run = a_run(store)
    page = a_page(content=content)
    store.pages.put(run, [page])
    assert store.pages.get(run, 1, page.request_key).content == content


def test_bodies_are_compressed_and_stored_once(store: Store, database: Database):
    first, second = a_run(store), a_run(store)
    store.pages.put(first, [a_page(task) for task in range(5)])
    store.pages.put(second, [a_page(9), a_page(10, content=b"other")])
    assert bodies(database) == 2
    stats = store.pages.stats()
    assert (stats["pages"], stats["size_bytes"]) == (7, len(HTML) + len(b"other"))
    assert stats["stored_bytes"] < len(HTML) / 5
    assert store.pages.stats(first)["pages"] == 5


def test_a_later_page_of_the_same_request_takes_its_place(store: Store):
    run = a_run(store)
    store.pages.put(run, [a_page(content=b"first", status=503)])
    store.pages.put(run, [a_page(content=b"second"), a_page(content=b"third", status=201)])
    (found,) = store.pages.find(run, 1)
    assert (found.content, found.status) == (b"third", 201)


def test_requests_tasks_and_runs_are_kept_apart(store: Store):
    run, another = a_run(store), a_run(store)
    get = a_page(content=b"get")
    post = a_page(content=b"post", method="POST", request_key=request_key("POST", get.url, b"body"))
    store.pages.put(run, [get, post, a_page(2, content=b"two")])
    store.pages.put(another, [a_page(content=b"another")])
    assert {page.content for page in store.pages.find(run, 1)} == {b"get", b"post"}
    assert [page.content for page in store.pages.find(run, 2)] == [b"two"]
    assert [page.content for page in store.pages.find(another, 1)] == [b"another"]
    assert store.pages.find(run, 3) == []
    assert store.pages.get(run, 2, post.request_key) is None


def test_pages_come_in_the_order_in_which_they_were_fetched(store: Store):
    run = a_run(store)
    began = datetime(2026, 1, 1, tzinfo=UTC)
    pages = [
        a_page(url=f"https://example.com/{n}", fetched_at=began + timedelta(seconds=9 - n))
        for n in range(10)
    ]
    store.pages.put(run, pages)
    assert store.pages.find(run, 1) == pages[::-1]


def test_the_latest_page_of_a_request_is_found_in_any_run(store: Store, clock: Clock):
    page = a_page(content=b"old")
    store.pages.put(a_run(store), [page])
    clock.advance(60)
    store.pages.put(a_run(store), [a_page(5, content=b"new")])
    assert store.pages.latest(page.request_key).content == b"new"
    assert store.pages.latest(request_key("GET", "https://nowhere.example/")) is None


def test_headers_that_no_database_can_hold_are_mended(store: Store):
    run = a_run(store)
    store.pages.put(run, [a_page(headers=[("X-Odd", "a\0b"), ("X-Half", "\ud800")])])
    (found,) = store.pages.find(run, 1)
    assert [name for name, _ in found.headers] == ["X-Odd", "X-Half"]
    assert found.headers[0][1] == "a�b"


def test_pages_of_a_run_that_is_not_there_are_refused(store: Store):
    for verb in (
        lambda: store.pages.put("nowhere", [a_page()]),
        lambda: store.pages.find("nowhere", 1),
        lambda: store.pages.get("nowhere", 1, bytes(32)),
        lambda: store.pages.stats("nowhere"),
    ):
        with pytest.raises(NotFound, match="nowhere"):
            verb()
    with pytest.raises(InputError, match="32 bytes"):
        store.pages.put(a_run(store), [a_page(request_key=b"short")])


@pytest.mark.slow
def test_more_than_one_statement_can_carry_is_kept_whole(store: Store):
    run, random = a_run(store), Random(2)
    pages = [a_page(task, content=random.randbytes(6 << 20)) for task in range(4)]
    store.pages.put(run, pages)
    assert [store.pages.find(run, task)[0].content for task in range(4)] == [
        page.content for page in pages
    ]


def test_a_removed_run_takes_its_pages_along(store: Store, database: Database, clock: Clock):
    run, kept = a_run(store, 2), a_run(store, 1)
    leases = claim(store, a_worker(store), 3)
    of_run = [lease for lease in leases if lease.run_id == store.runs.get(run).id]
    store.pages.put(run, [a_page(lease.task_id, content=b"gone") for lease in of_run])
    store.pages.put(run, [a_page(10**6, content=b"of no task")])
    store.pages.put(kept, [a_page(1)])
    finish(store, *(completed(lease) for lease in leases))
    assert store.runs.settle(run)
    store.runs.remove(run)
    assert database.rows("SELECT DISTINCT run_id FROM pages") == [(store.runs.get(kept).id,)]
    assert store.upkeep.prune()["bodies"] == 0
    clock.advance(3_700)
    assert store.upkeep.prune()["bodies"] == 2
    assert bodies(database) == 1
    assert store.pages.find(kept, 1)[0].content == HTML
    assert store.upkeep.check() == []


def test_old_pages_are_pruned_and_then_their_bodies(store: Store, database: Database, clock: Clock):
    run = a_run(store)
    store.pages.put(run, [a_page(1, content=b"old"), a_page(2, content=b"both")])
    clock.advance(20 * 86_400)
    store.pages.put(run, [a_page(3, content=b"new"), a_page(4, content=b"both")])
    clock.advance(11 * 86_400)
    pruned = store.upkeep.prune()
    assert (pruned["pages"], pruned["bodies"]) == (2, 1)
    assert bodies(database) == 2
    assert [page.content for page in store.pages.find(run, 4)] == [b"both"]
    store.settings.set("page_age_days", 5)
    assert store.upkeep.prune()["pages"] == 2


def test_a_body_that_is_kept_again_is_not_an_orphan(store: Store, clock: Clock):
    run = a_run(store)
    store.pages.put(run, [a_page(content=b"a")])
    store.pages.put(run, [a_page(content=b"b")])
    clock.advance(3_500)
    store.pages.put(run, [a_page(2, content=b"a")])
    store.pages.put(run, [a_page(2, content=b"b")])
    clock.advance(200)
    assert store.upkeep.prune()["bodies"] == 0
    clock.advance(3_500)
    assert store.upkeep.prune()["bodies"] == 1
    assert store.upkeep.check() == []


def test_a_page_without_its_body_is_found_out(store: Store, database: Database):
    run = a_run(store)
    store.pages.put(run, [a_page()])
    assert store.upkeep.check() == []
    database.execute("DELETE FROM bodies")
    assert any("body" in line for line in store.upkeep.check())


def test_many_keep_the_same_bodies_in_any_order(store: Store, database: Database):
    run = a_run(store)
    contents = [f"body {n}".encode() * 100 for n in range(30)]

    def work(mine: Store, worker: int) -> list[int]:
        shuffled = Random(worker).sample(contents, 30)
        for turn in range(5):
            pages = [
                a_page(worker, url=f"https://example.com/{turn}/{n}", content=content)
                for n, content in enumerate(shuffled)
            ]
            mine.pages.put(run, pages)
        return [len(mine.pages.find(run, worker))]

    assert together(store, work) == [150] * 8
    assert bodies(database) == 30


def test_the_writer_keeps_pages_before_the_outcomes_that_follow(store: Store):
    run = a_run(store, 20)
    writer_store = store.another()
    leases = claim(store, a_worker(store), 20)
    with Writer(writer_store) as writer:
        kept = [
            writer.store_pages(run, [a_page(lease.task_id, content=b"%d" % lease.task_id)])
            for lease in leases
        ]
        done = [writer.finish([completed(lease)]) for lease in leases]
        assert [future.result(timeout=20) for future in done] == [["accepted"]] * 20
        assert all(future.done() for future in kept)
    for lease in leases:
        (found,) = store.pages.find(run, lease.task_id)
        assert found.content == b"%d" % lease.task_id
    writer_store.close()


def test_pages_that_cannot_be_kept_harm_no_others(store: Store):
    run = a_run(store, 1)
    (lease,) = claim(store, a_worker(store))
    writer = Writer(store)
    bad = writer.store_pages(run, [a_page(1, request_key=b"short")])
    nowhere = writer.store_pages("nowhere", [a_page(2)])
    good = writer.store_pages(run, [a_page(3)])
    done = writer.finish([completed(lease)])
    with writer:
        assert good.result(timeout=20) is None
        assert done.result(timeout=20) == ["accepted"]
        with pytest.raises(InputError, match="32 bytes"):
            bad.result(timeout=20)
        with pytest.raises(NotFound, match="nowhere"):
            nowhere.result(timeout=20)
    assert [page.task_id for page in store.pages.find(run, 3)] == [3]
    assert store.pages.find(run, 1) == []
