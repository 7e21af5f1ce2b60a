"""The decorator: what it makes of functions and classes, and what it refuses."""

import asyncio
import dataclasses
import inspect
import typing

import pytest

from swather.errors import InputError
from swather.model.lease import Strategy
from swather.model.pacing import Limits
from swather.model.retry import Backoff, Budgets
from swather.net.egress import WayOut
from swather.scraping.options import OptionFields
from swather.scraping.proxies import Proxies
from swather.scraping.scraper import ExecutionMode, Isolation, Options, scraper


def test_a_decorated_function_keeps_its_name_docs_and_signature_and_stays_callable():
    @scraper
    def double(ctx, target):
        """Twice the target.

        And more.
        """
        return target * 2

    assert double.name == "double"
    assert double.summary == "Twice the target."
    assert double(None, 21) == 42
    assert list(inspect.signature(double).parameters) == ["ctx", "target"]


def test_an_async_function_is_awaited_by_whoever_calls_it():
    @scraper(name="other-name")
    async def increment(ctx, target):
        return target + 1

    assert increment.name == "other-name"
    assert asyncio.run(increment(None, 1)) == 2


def test_a_decorated_class_makes_instances():
    @scraper(rate="5/s")
    class Books:
        def scrape(self, ctx, target):
            return target

    assert Books.is_class
    assert Books().scrape(None, 3) == 3


def test_async_scrapers_run_as_tasks_and_plain_ones_in_threads_unless_they_say_otherwise():
    @scraper
    async def asynchronous(ctx, target): ...

    @scraper
    async def yielding(ctx, target):
        yield 1

    @scraper
    def plain(ctx, target): ...

    @scraper(isolation="process")
    async def apart(ctx, target): ...

    assert asynchronous.isolation is Isolation.TASK
    assert yielding.isolation is Isolation.TASK
    assert yielding.is_generator
    assert plain.isolation is Isolation.THREAD
    assert apart.isolation is Isolation.PROCESS


def test_an_isolation_that_cannot_work_is_refused():
    with pytest.raises(InputError, match="expected 'thread' or 'process', got 'task'"):

        @scraper(isolation="task")
        def blocks(ctx, target): ...

    with pytest.raises(InputError, match="expected 'task' or 'process', got 'thread'"):

        @scraper(isolation="thread")
        async def awaits(ctx, target): ...


def test_a_function_that_cannot_be_called_with_context_and_target_is_refused():
    with pytest.raises(InputError, match=r"'alone' must take \(ctx, target\)"):

        @scraper
        def alone(ctx): ...


def test_a_class_without_scrape_is_refused():
    with pytest.raises(InputError, match=r"'Empty' has no scrape\(self, ctx, target\)"):

        @scraper
        class Empty: ...


def test_what_is_no_function_and_what_is_a_scraper_already_are_refused():
    @scraper
    def fine(ctx, target): ...

    for wrong in (7, fine):
        with pytest.raises(InputError, match="goes on a function or a class"):
            scraper(wrong)


def test_a_lambda_needs_a_name():
    with pytest.raises(InputError, match="name: expected up to 100 letters"):
        scraper(lambda _ctx, target: target)
    assert scraper(name="fine")(lambda _ctx, target: target)(None, 1) == 1


WRONG_VALUES = {
    "name": ["a b", 5],
    "rate": ["5", "0/s", 5, "automatic"],
    "total_rate": ["fast", "auto"],
    "user_agent": [5, ""],
    "headers": [5, ["Accept"]],
    "burst": [0, 1.5, True],
    "lane": [5, "x" * 501],
    "partition": [5],
    "key": ["id", 5],
    "targets": [["a"], 5],
    "in_flight": [0, "8"],
    "retries": [-1, 2.5],
    "backoff": [0.5, "2", float("nan")],
    "timeout": [0, -1, float("inf"), None, "60"],
    "delay": [-1, (5, 2), (1, 2, 3), "8-20"],
    "isolation": ["thred", 1],
    "execution_mode": ["alone", None],
    "strategy": ["random"],
    "tor": ["yes", 1, "d1", "xx", "uk"],
    "browser": [1],
    "proxies": [5, [5], [], "", b"proxies.txt"],
    "robots": [None],
    "allow_private": [0],
    "session": ["host", True],
    "profile": ["", 140],
    "store_pages": ["yes", 1],
    "files_folder": ["", 5, "a\0b"],
    "version": [2],
    "params": [dict, {"a": int}],
    "recycle_after": [0],
    "memory_limit_mb": [0, 1.5],
    "urls_normalised": ["no"],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, values in WRONG_VALUES.items() for value in values],
)
def test_a_wrong_value_is_refused_with_its_field_and_itself(field, value):
    with pytest.raises(InputError) as refused:
        scraper(**{field: value})
    assert repr(value)[:40] in str(refused.value)


def test_every_option_has_a_wrong_value_and_a_keyword():
    names = {field.name for field in dataclasses.fields(Options)}
    assert set(WRONG_VALUES) == names
    assert set(typing.get_type_hints(OptionFields)) == names
    assert all(name in (Options.__doc__ or "") for name in names)


def test_an_unknown_option_is_refused_with_the_nearest_known_one():
    with pytest.raises(InputError, match=r"no option 'retrys'; did you mean 'retries'\?"):
        scraper(retrys=3)


def test_options_become_limits_budgets_and_backoff():
    options = Options(rate="5/s", total_rate="1/2s", burst=3, in_flight=4, retries=1, backoff=3)
    assert options.lane_limits() == Limits(0.2, 3, 4)
    assert options.total_limits() == Limits(2.0, 3, None)
    assert options.budgets() == Budgets(retries=1)
    assert options.backoff_policy() == Backoff(3.0)
    assert Options(backoff=Backoff(4.0, jitter=0)).backoff_policy() == Backoff(4.0, jitter=0)


def test_a_rate_that_is_learned_sets_no_interval():
    options = Options(rate=" auto ", in_flight=4)
    assert options.is_auto
    assert options.lane_limits() == Limits(0.0, 1, 4)
    assert not Options(rate="5/s").is_auto
    assert not Options().is_auto


def test_by_default_nobody_is_hammered():
    options = Options()
    assert options.lane_limits() == Limits(0.2, 1, 8, public_only=True)
    assert options.lane_limits("50/s") == Limits(0.02, 1, 8, public_only=True)
    assert options.total_limits().are_none
    assert options.robots
    assert options.execution_mode is ExecutionMode.SINGLE


@pytest.mark.parametrize(
    ("options", "default_rate"),
    [
        (Options(), "none"),
        (Options(rate="none"), "5/s"),
        (Options(rate="auto"), "5/s"),
        (Options(lane="videos"), "5/s"),
    ],
)
def test_a_default_rate_can_be_turned_off_and_is_for_hosts_alone(options, default_rate):
    assert options.lane_limits(default_rate) == Limits(0.0, 1, 8)


def test_a_named_rate_is_no_default():
    assert Options(rate="2/s").lane_limits("5/s") == Limits(0.5, 1, 8)


def test_a_delay_is_one_number_or_two():
    assert Options().delay_range() is None
    assert Options(delay=3).delay_range() == (3.0, 3.0)
    assert Options(delay=(8, 20)).delay_range() == (8.0, 20.0)


def test_words_become_members():
    options = Options(strategy="lifo", execution_mode="single")
    assert options.strategy is Strategy.LIFO
    assert options.execution_mode is ExecutionMode.SINGLE


def test_requests_leave_by_one_way():
    assert Options().way_out is WayOut.DIRECT
    assert Options(proxies=False).way_out is WayOut.DIRECT
    for proxies in (True, "proxies.txt", ["http://10.0.0.1:8080"], Proxies(tags=("eu",))):
        assert Options(proxies=proxies).way_out is WayOut.POOL


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tags": ["a b"]}, "a tag is a word"),
        ({"country": "germany"}, "the two letters of a country"),
        ({"strategy": "sticky"}, "expected one of round_robin, "),
        ({"rotation": "never"}, "expected one of request, "),
        ({"per_worker": 0}, "at least 1, got 0"),
    ],
)
def test_a_choice_of_proxies_is_checked_when_it_is_made(fields, said):
    with pytest.raises(InputError, match=said):
        Proxies(**fields)


def test_a_proxy_of_a_list_is_refused_without_its_password():
    with pytest.raises(InputError) as refused:
        scraper(proxies=["http://10.0.0.1:8080", "gopher://me:s3cret@p.example:1"])
    assert "s3cret" not in str(refused.value)


def test_a_country_for_tor_is_one_that_exists():
    assert Options(tor="DE").tor == "de"
    with pytest.raises(InputError, match="tor: there is no country 'uk', is 'gb' meant"):
        scraper(tor="uk")


def test_what_would_do_nothing_may_be_said_to_be_off():
    off = Options(tor=False, browser=False, proxies=None, execution_mode="single")
    assert off == Options()
