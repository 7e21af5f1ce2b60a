"""What a worker may reach in the private network: what a person typed, and nothing it leads to."""

import pytest

from swather.runs.intake import Intake
from swather.runs.load import load
from swather.runs.targets import from_values
from swather.scraping.scraper import scraper
from swather.testing.site import Answer
from tests.worker.given import Shop
from tests.worker.sites import NotingSite


@scraper(retries=0, robots=False)
async def follows(ctx, url):
    page = await ctx.get(url)
    for link in page.links():
        ctx.follow(link)
    return page.text


@scraper(retries=0, robots=False, isolation="process")
def follows_in_child(ctx, url):
    return ctx.get(url).text


@scraper(retries=0, robots=False, allow_private=True)
async def anywhere(ctx, url):
    return (await ctx.get(url)).text


@pytest.fixture
def inside():
    """A site that nobody typed."""
    with NotingSite() as opened:
        yield opened


@pytest.fixture
def typed(inside: NotingSite):
    routes = {
        "/away": Answer("", status=302, headers={"Location": f"{inside.url}/secret"}),
        "/links": f'<a href="/next">here</a> <a href="{inside.url}/secret">there</a>',
    }
    with NotingSite(routes) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("of", [follows, follows_in_child], ids=["task", "process"])
def test_a_redirect_to_what_nobody_typed_is_refused(shop: Shop, typed, inside, of):
    run, _ = shop.scrape(of, [f"{typed.url}/away"])
    (task,) = shop.tasks(run).values()
    assert (str(task.state), task.reason) == ("failed", "private_address")
    assert inside.asked == []


def test_links_of_a_typed_host_are_followed_and_others_are_not(shop: Shop, typed, inside):
    run = shop.run(follows)
    load(shop.store, run, Intake(follows, from_values([f"{typed.url}/links"])))
    shop.start(follows, run=run).report()
    ends = {task.target: task.reason for task in shop.tasks(run).values()}
    assert ends == {
        f"{typed.url}/links": "ok",
        f"{typed.url}/next": "ok",
        f"{inside.url}/secret": "private_address",
    }
    assert inside.asked == []


def test_a_scraper_may_be_allowed_all_of_it(shop: Shop, typed, inside):
    run, _ = shop.scrape(anywhere, [f"{typed.url}/away"])
    assert shop.counts(run) == {"completed": 1}
    assert inside.paths() == ["/secret"]
