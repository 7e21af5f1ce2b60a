from swather.testing.site import Answer, FakeSite
from tests.cli.conftest import Swather
from tests.cli.scrapers import write

PAGES = """
from swather import scraper


@scraper
async def pages(ctx, target):
    for path in ctx.params["paths"].split():
        page = await ctx.get(path)
        yield {"path": path, "status": page.status}


@scraper(robots=False)
async def rude(ctx, target):
    yield {"status": (await ctx.get()).status}


@scraper
async def proxied(ctx, target):
    yield {"status": (await ctx.get(proxy=ctx.params["proxy"])).status}
"""
DISALLOW = "User-agent: *\nDisallow: /private\n"


def test_robots_txt_is_obeyed(swather: Swather):
    write(PAGES)
    with FakeSite({"/robots.txt": DISALLOW, "/": "home", "/private": "secret"}) as site:
        said = swather("try", "scrapers.py:pages", f"{site.url}/", "-p", "paths=/ /private")
    assert said.code == 1
    assert "disallows" in said.err
    assert "fail the target (robots)" in said.err
    assert site.requests == {"/robots.txt": 1, "/": 1}


def test_a_scraper_may_do_without_robots_txt(swather: Swather):
    write(PAGES)
    with FakeSite({"/robots.txt": DISALLOW, "/private": "secret"}) as site:
        said = swather("try", "scrapers.py:rude", f"{site.url}/private")
    assert said.code == 0, said.err
    assert site.requests == {"/private": 1}


def test_robots_txt_is_asked_for_through_the_proxy_of_the_request(swather: Swather):
    write(PAGES)
    page, rules = "http://shop.example/a", "http://shop.example/robots.txt"
    with FakeSite({page: "a", rules: ""}) as proxy:
        said = swather("try", "scrapers.py:proxied", page, "-p", f"proxy={proxy.url}")
    assert said.code == 0, said.err
    assert proxy.requests == {rules: 1, page: 1}


def test_a_private_address_that_nobody_typed_is_not_reached(swather: Swather):
    write(PAGES)
    with FakeSite({"/": "inside"}) as inside:
        away = Answer(status=302, headers={"Location": f"{inside.url}/"})
        with FakeSite({"/": away}) as site:
            said = swather("try", "scrapers.py:pages", f"{site.url}/", "-p", "paths=/")
    assert said.code == 1
    assert "fail the target (private_address)" in said.err
    assert not inside.requests
