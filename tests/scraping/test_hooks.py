"""Functions that a user hangs on a scraper."""

import asyncio
import threading

import pytest

from swather.errors import InputError
from swather.net.request import Request
from swather.scraping.blocking import SyncContext
from swather.scraping.scraper import scraper
from tests.scraping.attempts import FakeVerbs, context, data_of, run_on


def test_request_hooks_change_each_request_in_the_order_they_were_added():
    @scraper
    async def books(ctx, url):
        await ctx.get(headers={"x-a": "0", "X-B": "0"})
        await ctx.post("/2", data=b"")

    @books.on_request
    def add(request):
        return request.with_headers({"X-A": "1", "X-C": "1"})

    @books.on_request
    def look(request):
        seen.append(request.headers)

    seen = []
    verbs = FakeVerbs()
    run_on(books, verbs=verbs)
    assert [request.headers for request in verbs.requests] == [
        {"X-B": "0", "X-A": "1", "X-C": "1"},
        {"X-A": "1", "X-C": "1"},
    ]
    assert seen == [request.headers for request in verbs.requests]
    assert add(Request(url="https://a.example/")).headers == {"X-A": "1", "X-C": "1"}


def test_item_hooks_change_and_drop_items_however_they_were_made():
    @scraper
    def books(ctx, url):
        ctx.emit({"price": 1}, key="k")
        return [{"price": 2}, {"price": 3}]

    @books.on_item
    def dear(item):
        return item if item["price"] > 1 else None

    @books.on_item
    def doubled(item):
        return {**item, "double": item["price"] * 2}

    assert data_of(run_on(books)) == [{"price": 2, "double": 4}, {"price": 3, "double": 6}]


def test_items_of_generators_and_classes_pass_the_hooks():
    @scraper
    class Books:
        async def scrape(self, ctx, url):
            yield 1
            yield 2

    Books.on_item(lambda item: item * 10)
    assert data_of(run_on(Books)) == [10, 20]


def test_an_item_that_is_false_is_not_dropped():
    @scraper
    def zero(ctx, url):
        return [0, "", False]

    zero.on_item(lambda item: item)
    assert data_of(run_on(zero)) == [0, "", False]


def test_what_a_hook_raises_is_what_the_scraper_raises():
    @scraper
    def books(ctx, url):
        return 1

    @books.on_item
    def broken(item):
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        run_on(books)


def test_hooks_of_a_plain_scraper_run_in_its_own_thread():
    threads = []

    @scraper
    def books(ctx, url):
        ctx.get()
        return 1

    books.on_request(lambda _: threads.append(threading.get_ident()))
    books.on_item(lambda item: threads.append(threading.get_ident()) or item)

    def elsewhere(coroutine):
        made = []
        other = threading.Thread(target=lambda: made.append(asyncio.run(coroutine)))
        other.start()
        other.join()
        return made[0]

    ctx = SyncContext(context(of=books), elsewhere)
    ctx.get()
    ctx.emit(1)
    assert threads == [threading.get_ident()] * 2


@pytest.mark.parametrize("event", ["on_request", "on_item"])
def test_what_cannot_be_a_hook_is_refused_at_once(event):
    @scraper
    def books(ctx, url): ...

    async def waits(request): ...
    def makes(request):
        yield request

    for wrong in (waits, makes, lambda: None, lambda a, b: None, "add"):
        with pytest.raises(InputError, match=event):
            getattr(books, event)(wrong)


def test_a_request_hook_that_returns_something_else_is_told():
    @scraper
    async def books(ctx, url):
        await ctx.get()

    @books.on_request
    def add(request):
        return request.headers

    with pytest.raises(InputError, match="add must return a Request or None, got a dict"):
        run_on(books)
