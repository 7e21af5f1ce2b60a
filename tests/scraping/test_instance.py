"""Class scrapers: made once, set up before and closed after their targets."""

import asyncio

import pytest

from swather.errors import AttemptOver, InputError
from swather.net.page import Page
from swather.scraping.instance import Instance, set_up, set_up_blocking
from swather.scraping.scraper import scraper
from tests.scraping.attempts import FakeVerbs, context, nothing


def test_plain_setup_and_close_are_called_on_the_loop():
    steps = []

    @scraper
    class Plain:
        def setup(self):
            steps.append("setup")

        async def scrape(self, ctx, target):
            steps.append(target)

        def close(self):
            steps.append("close")

    async def use():
        instance = Instance(Plain)
        await instance.setup()
        await instance.scrape(None, 1)
        await instance.close()

    asyncio.run(use())
    assert steps == ["setup", 1, "close"]


def test_async_setup_and_close_of_a_plain_scraper_are_run_for_its_thread():
    steps = []

    @scraper
    class Mixed:
        async def setup(self):
            steps.append("setup")

        def scrape(self, ctx, target): ...

        async def close(self):
            steps.append("close")

    instance = Instance(Mixed)
    instance.setup_blocking(asyncio.run)
    instance.close_blocking(asyncio.run)
    assert steps == ["setup", "close"]


def test_each_instance_is_its_own():
    @scraper
    class Counting:
        def __init__(self):
            self.seen = 0

        def scrape(self, ctx, target):
            self.seen += 1
            return self.seen

    first, second = Instance(Counting), Instance(Counting)
    assert [first.scrape(None, 1), first.scrape(None, 1), second.scrape(None, 1)] == [1, 2, 1]


def test_a_function_has_nothing_to_set_up():
    instance = Instance(nothing)
    asyncio.run(instance.setup())
    instance.close_blocking(asyncio.run)


def test_setup_may_take_the_web_and_leaves_the_target_its_own_page():
    @scraper
    class Members:
        async def setup(self, web):
            self.page = await web.get("https://example.com/rates", params={"of": web.params})

        async def scrape(self, ctx, target): ...

    verbs = FakeVerbs()
    ctx = context(of=Members, verbs=verbs, params=7)
    asyncio.run(set_up(Members, ctx))
    assert [request.full_url for request in verbs.requests] == ["https://example.com/rates?of=7"]
    assert ctx.page is None


def test_a_web_that_is_kept_works_for_the_attempt_at_hand(caplog):
    @scraper(session="lane", lane="shop")
    class Members:
        async def setup(self, web):
            kept.append(web)
            await web.get("https://example.com/setup/")

        async def scrape(self, ctx, target): ...

    async def use():
        instance = await set_up(Members, first)
        (web,) = kept
        assert web.page is None
        await web.get("a")
        instance.rest()
        with pytest.raises(AttemptOver, match="there is none now"):
            await web.get("b")
        instance.serve(second)
        assert web.params == "of the second"
        web.log.warning("at work")
        assert isinstance(await web.get("c"), Page)

    kept = []
    verbs = FakeVerbs(), FakeVerbs()
    first = context("https://a.example/", of=Members, verbs=verbs[0], lane="shop")
    second = context("https://b.example/", of=Members, verbs=verbs[1], lane="other", task_id=8,
                     params="of the second")  # fmt: skip
    asyncio.run(use())
    assert [[(request.url, request.session) for request in each.requests] for each in verbs] == [
        [
            ("https://example.com/setup/", "run:1/lane:shop"),
            ("https://a.example/a", "run:1/lane:shop"),
        ],
        [("https://b.example/c", "run:1/lane:other")],
    ]
    assert [record.task for record in caplog.records] == [8]


def test_a_plain_web_that_is_kept_is_run_by_the_attempt_at_hand():
    @scraper
    class Members:
        def setup(self, web):
            kept.append(web)

        def scrape(self, ctx, target): ...

    def runs(who):
        return lambda coroutine: ran.append(who) or asyncio.run(coroutine)

    kept, ran = [], []
    first, second = context("https://a.example/", of=Members), context("https://b.example/")
    instance = set_up_blocking(Members, first, runs("first"))
    (web,) = kept
    assert web.get().url == "https://a.example/"
    instance.rest()
    with pytest.raises(AttemptOver, match="there is none now"):
        web.get()
    instance.serve(second, runs("second"))
    assert web.get().url == "https://b.example/"
    assert ran == ["first", "second"]


def test_the_setup_of_a_plain_class_is_given_a_web_that_blocks():
    pages = []

    @scraper
    class Members:
        def setup(self, web):
            pages.append(web.get("https://example.com/rates"))
            web.log.info("set up for %s", web.run.name)

        def scrape(self, ctx, target): ...

    set_up_blocking(Members, context(of=Members), asyncio.run)
    assert [page.url for page in pages] == ["https://example.com/rates"]


def test_a_setup_of_another_class_may_be_static_or_have_defaults():
    calls = []

    @scraper
    class Static:
        @staticmethod
        def setup():
            calls.append("static")

        def scrape(self, ctx, target): ...

    @scraper
    class Defaults:
        def setup(self, folder="x"):
            calls.append(folder)

        def scrape(self, ctx, target): ...

    for kind in (Static, Defaults):
        assert not kind.sets_up_with_web
        Instance(kind).setup_blocking(asyncio.run)
    assert calls == ["static", "x"]


def test_a_setup_that_cannot_be_called_is_refused_when_it_is_written():
    class Many:
        def setup(self, web, more): ...
        def scrape(self, ctx, target): ...

    class Blocking:
        def setup(self, web): ...
        async def scrape(self, ctx, target): ...

    class Waiting:
        async def setup(self, web): ...
        def scrape(self, ctx, target): ...

    for kind, why in (
        (Many, r"must take nothing or \(web\)"),
        (Blocking, r"setup\(web\) of scraper 'Blocking' must be async"),
        (Waiting, r"setup\(web\) of scraper 'Waiting' must be plain"),
    ):
        with pytest.raises(InputError, match=why):
            scraper(kind)
