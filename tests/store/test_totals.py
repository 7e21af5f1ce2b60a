"""The counts of many runs at once."""

from swather.model.retry import ErrorClass
from swather.store import Store
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
)


def test_totals_of_an_empty_database_are_empty(store: Store):
    assert store.runs.totals() == []
    assert store.runs.open_totals() == []


def test_totals_sum_up_the_runs_of_each_scraper(store: Store):
    first, second = a_run(store, 3), a_run(store, 2)
    a_run(store, 4, scraper="shops")
    store.runs.pause(second)
    worker = a_worker(store)
    one, two, three = claim(store, worker, 3, runs=(first,))
    finish(store, completed(one, "x", "y"), failed(two, "layout_changed"), retried(three))
    (lease,) = claim(store, worker, 1, runs=(first,))
    finish(store, failed(lease, "timeout", a_fault(error_class=ErrorClass.TIMEOUT)))
    store.runs.settle(first)
    books, shops = store.runs.totals()
    assert (books.scraper, books.open_runs, books.paused_runs) == ("books", 1, 1)
    counts = books.counts
    assert (counts.completed, counts.failed, counts.ready, counts.items) == (1, 2, 2, 2)
    assert counts.retries == 1
    assert counts.reasons == {"ok": 1, "layout_changed": 1, "timeout": 1}
    assert books.errors == {"permanent": 1, "transient": 1, "timeout": 1}
    assert (shops.scraper, shops.open_runs, shops.paused_runs) == ("shops", 1, 0)
    assert (shops.counts.ready, shops.errors) == (4, {})


def test_open_totals_are_those_of_the_newest_open_runs(store: Store):
    oldest, newer, newest = (a_run(store, count) for count in (1, 2, 0))
    assert [each.run for each in store.runs.open_totals(limit=2)] == [newest, newer]
    store.runs.cancel(newer)
    told = {each.run: (each.scraper, each.counts) for each in store.runs.open_totals()}
    assert told == {name: ("books", store.runs.counts(name)) for name in (oldest, newest)}
