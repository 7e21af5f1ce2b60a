"""What a scraper returns or yields becomes items, in each of its shapes."""

import asyncio
import time
from typing import NamedTuple

import pytest

from swather.errors import BadPayload, InputError, Permanent, Transient
from swather.scraping.blocking import SyncContext
from swather.scraping.context import Context, RunInfo
from swather.scraping.instance import Instance
from swather.scraping.invoke import Result, invoke
from swather.scraping.scraper import scraper
from tests.scraping.attempts import FakeVerbs, context, data_of, lease, nothing, run_on

ITEMS = [{"n": 1}, {"n": 2}]


class Point(NamedTuple):
    x: int
    y: int


@scraper
async def async_yielding(ctx, target):
    for item in ITEMS:
        yield item


@scraper
async def async_returning(ctx, target):
    return ITEMS


@scraper
async def async_returning_a_stream(ctx, target):
    async def stream():
        for item in ITEMS:
            yield item

    return stream()


@scraper
def plain_yielding(ctx, target):
    yield from ITEMS


@scraper
def plain_returning(ctx, target):
    return tuple(ITEMS)


@scraper
def plain_returning_a_stream(ctx, target):
    return (item for item in ITEMS)


@scraper
class ClassYielding:
    async def scrape(self, ctx, target):
        for item in ITEMS:
            yield item


@scraper
class ClassEmitting:
    def scrape(self, ctx, target):
        for item in ITEMS:
            ctx.emit(item)


@pytest.mark.parametrize(
    "made",
    [
        async_yielding, async_returning, async_returning_a_stream, plain_yielding, plain_returning,
        plain_returning_a_stream, ClassYielding, ClassEmitting,
    ],
    ids=lambda made: made.name,
)  # fmt: skip
def test_every_shape_of_scraper_gives_the_same_items(made):
    assert data_of(run_on(made)) == ITEMS


@pytest.mark.parametrize(
    ("returned", "items"),
    [
        (None, []),
        ([], []),
        ({"a": 1}, [{"a": 1}]),
        ("text", ["text"]),
        (0, [0]),
        (False, [False]),
        (Point(1, 2), [[1, 2]]),
        ([None], [None]),
        (Result(data={"a": 1}), [{"a": 1}]),
        (Result(data=[1, 2]), [1, 2]),
        (Result(), []),
    ],
)
def test_one_item_is_one_item_and_a_list_is_many(returned, items):
    @scraper
    async def asynchronous(ctx, target):
        return returned

    @scraper
    def plain(ctx, target):
        return returned

    assert data_of(run_on(asynchronous)) == items
    assert data_of(run_on(plain)) == items


@pytest.mark.parametrize(("retry", "raised"), [(True, Transient), (False, Permanent)])
def test_a_result_without_success_fails_the_attempt(retry, raised):
    @scraper
    def failing(ctx, target):
        return Result(success=False, error="no such city", retry=retry)

    with pytest.raises(raised, match="no such city"):
        run_on(failing)


def test_items_processed_are_told_as_progress_even_without_success():
    verbs = FakeVerbs()

    @scraper
    async def half(ctx, target):
        return Result(success=False, error="half", items_processed=12)

    with pytest.raises(Transient):
        run_on(half, verbs=verbs)
    assert verbs.told == [{"done": 12}]


def test_a_generator_is_closed_when_an_item_is_refused():
    closed = []

    @scraper
    async def asynchronous(ctx, target):
        try:
            yield object()
        finally:
            closed.append("async")

    @scraper
    def plain(ctx, target):
        try:
            yield object()
        finally:
            closed.append("plain")

    for made in (asynchronous, plain):
        with pytest.raises(BadPayload, match="item is not JSON"):
            run_on(made)
    assert closed == ["async", "plain"]


def test_items_before_an_error_stay_collected():
    @scraper
    async def failing(ctx, target):
        yield 1
        raise ValueError

    ctx = context(of=failing)
    with pytest.raises(ValueError):  # noqa: PT011
        asyncio.run(invoke(Instance(failing), ctx))
    assert data_of(ctx.collected()) == [1]


def test_an_async_function_hidden_by_another_decorator_is_told_to_be_so():
    async def hidden(ctx, target): ...

    def other_decorator(function):
        def wrapper(ctx, target):
            return function(ctx, target)

        return wrapper

    made = scraper(name="wrapped")(other_decorator(hidden))
    with pytest.raises(
        InputError, match="'wrapped' is a plain function that returned an awaitable"
    ):
        run_on(made)


def test_the_target_is_handed_over_as_it_was_queued():
    @scraper
    def echo(ctx, target):
        return [target, ctx.target]

    assert data_of(run_on(echo, {"city": "Köln"})) == [{"city": "Köln"}] * 2


def test_a_context_and_a_call_cost_microseconds():
    instance = Instance(nothing)
    claimed, run, verbs = lease(), RunInfo(1, "a-run"), FakeVerbs()
    rounds = 2_000

    async def many():
        began = time.process_time()
        for _ in range(rounds):
            ctx = Context(scraper=nothing, lease=claimed, run=run, params=None, verbs=verbs)
            await invoke(instance, ctx)
            ctx.collected()
        return (time.process_time() - began) / rounds

    assert min(asyncio.run(many()) for _ in range(5)) < 15e-6


def test_a_plain_scraper_gets_a_blocking_context():
    seen = []

    @scraper
    def plain(ctx, target):
        seen.append(ctx)

    run_on(plain)
    assert isinstance(seen[0], SyncContext)
