"""What a replay asks of stored pages: which tasks have some, and a request of whichever task."""

from swather.model.stored_page import StoredPage, request_key
from swather.store import Store
from tests.store.given import a_run

KEY = request_key("GET", "http://a/")


def a_page(task_id: int, key: bytes = KEY, content: bytes = b"") -> StoredPage:
    return StoredPage(
        task_id=task_id,
        request_key=key,
        method="GET",
        url="http://a/",
        status=200,
        headers=[],
        content=content,
    )


def test_tasks_with_pages_are_found_once_each_and_in_order(store: Store):
    run, other = a_run(store), a_run(store)
    more = request_key("GET", "http://b/")
    store.pages.put(run, [a_page(7), a_page(3), a_page(5), a_page(5, more)])
    store.pages.put(other, [a_page(4)])
    assert store.pages.tasks(run) == [3, 5, 7]
    assert store.pages.tasks(run, limit=2) == [3, 5]
    assert store.pages.tasks(run, after_id=5) == [7]
    assert store.pages.tasks(a_run(store)) == []


def test_the_latest_page_of_a_request_is_that_of_the_run_if_one_is_named(store: Store):
    run, other = a_run(store), a_run(store)
    store.pages.put(run, [a_page(1, content=b"first")])
    store.pages.put(run, [a_page(2, content=b"second")])
    store.pages.put(other, [a_page(3, content=b"other")])
    of_run, of_any = store.pages.latest(KEY, run=run), store.pages.latest(KEY)
    assert of_run is not None
    assert of_any is not None
    assert (of_run.content, of_any.content) == (b"second", b"other")
    assert store.pages.latest(KEY, run=a_run(store)) is None
