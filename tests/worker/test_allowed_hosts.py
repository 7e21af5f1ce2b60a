"""Which private hosts the workers of a run may reach: what a person typed, as it was then."""

import threading

import pytest

from swather.net.fetcher import WebFetcher
from swather.runs.intake import Intake
from swather.runs.load import load
from swather.runs.targets import from_values
from swather.scraping.scraper import scraper
from tests.net.fetching import fake_dns
from tests.worker.given import Shop, wait_until
from tests.worker.sites import NotingSite

# An address of the public web at which nobody answers here.
PUBLIC = "93.184.216.34"


@scraper(retries=0, robots=False, in_flight=None)
async def crawls(ctx, url):
    page = await ctx.get(url)
    for link in page.links():
        ctx.follow(link)
    return page.text


def type_in(shop: Shop, run: str, *targets: str) -> None:
    """Load targets as a person does."""
    load(shop.store, run, Intake(crawls, from_values(targets)))


def reasons(shop: Shop, run: str) -> dict[str, str]:
    return {task.target: task.reason for task in shop.tasks(run).values()}


def at(*addresses: str):
    """How a worker is told to look up names; shop.example is at these addresses in turn."""
    dns = fake_dns(shop_example=list(addresses))
    return lambda: WebFetcher(resolve=dns, connect_seconds=0.3, timeout_seconds=2)


def named(site: NotingSite, path: str = "") -> str:
    return site.url.replace("127.0.0.1", "shop.example") + path


@pytest.mark.slow
def test_what_is_typed_while_workers_serve_the_run_is_reached_by_all_of_them(either_shop: Shop):
    """One worker fetches what was typed, another one, which knew the run before, its links."""
    shop = either_shop
    asked, answered = threading.Event(), threading.Event()

    def root(_):
        asked.set()
        assert answered.wait(30)
        return '<a href="/a">a</a> <a href="/b">b</a>'

    with NotingSite({"/": root, "/a": "leaf", "/b": "leaf"}) as typed:
        run = shop.run(crawls)
        second = shop.start(crawls, run=run, forever=True)
        wait_until(shop.store.workers.find)
        (paused,) = shop.store.workers.find()
        shop.store.workers.pause(paused.id)
        type_in(shop, run, f"{typed.url}/")
        first = shop.start(crawls, run=run, forever=True)
        assert asked.wait(30)
        first.worker.stop()
        shop.store.workers.unpause(paused.id)
        answered.set()
        first.report()
        wait_until(lambda: shop.counts(run) == {"completed": 3} or shop.counts(run).get("failed"))
        second.stop()
    assert set(reasons(shop, run).values()) == {"ok"}


def test_hosts_typed_later_are_reached_by_a_worker_that_has_refused_them(shop: Shop):
    """A refusal is not remembered."""
    with NotingSite({"/a": "here", "/b": "here"}) as inside:
        run = shop.run(crawls)
        shop.enqueue(run, crawls, [f"{inside.url}/a"])
        worker = shop.start(crawls, run=run, forever=True)
        wait_until(lambda: shop.counts(run) == {"failed": 1})
        type_in(shop, run, f"{inside.url}/b")
        wait_until(lambda: shop.counts(run) == {"failed": 1, "completed": 1})
        worker.stop()


@pytest.mark.slow
def test_a_name_that_moves_into_the_private_network_is_refused_by_every_worker(either_shop: Shop):
    shop = either_shop
    with NotingSite({"/a": "secret", "/b": "secret"}) as inside:
        run = shop.run(crawls)
        type_in(shop, run, named(inside, "/a"))
        shop.start(crawls, run=run, new_fetcher=at(PUBLIC)).report()
        type_in(shop, run, named(inside, "/b"))
        shop.start(crawls, run=run, new_fetcher=at("127.0.0.1")).report()
    assert reasons(shop, run)[named(inside, "/b")] == "private_address"
    assert inside.asked == []
    error = shop.tasks(run)[named(inside, "/b")].error
    assert PUBLIC in error
    assert "127.0.0.1" in error
    assert "allow_private=True" in error


def test_a_private_name_may_move_to_another_private_address(shop: Shop):
    """A container that was started again."""
    with NotingSite({"/a": "here", "/b": "here"}) as inside:
        run = shop.run(crawls)
        type_in(shop, run, named(inside, "/a"))
        shop.start(crawls, run=run, new_fetcher=at("127.0.0.2")).report()
        type_in(shop, run, named(inside, "/b"))
        shop.start(crawls, run=run, new_fetcher=at("127.0.0.1")).report()
    assert reasons(shop, run)[named(inside, "/b")] == "ok"


def test_a_name_that_could_not_be_found_is_taken_as_it_is_first_found(shop: Shop):
    with NotingSite({"/a": "here", "/b": "here"}) as inside:
        run = shop.run(crawls)
        type_in(shop, run, named(inside, "/a"))
        nowhere = fake_dns()
        shop.start(crawls, run=run, new_fetcher=lambda: WebFetcher(resolve=nowhere)).report()
        type_in(shop, run, named(inside, "/b"))
        shop.start(crawls, run=run, new_fetcher=at("127.0.0.1")).report()
    assert reasons(shop, run) == {named(inside, "/a"): "transient", named(inside, "/b"): "ok"}


def test_a_target_that_nobody_typed_may_not_be_reached_though_it_has_no_parent(shop: Shop):
    with NotingSite({"/": "secret"}) as inside:
        run = shop.run(crawls)
        shop.enqueue(run, crawls, [f"{inside.url}/"])
        shop.start(crawls, run=run).report()
    assert reasons(shop, run) == {f"{inside.url}/": "private_address"}
    assert inside.asked == []
