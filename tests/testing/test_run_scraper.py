import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from swather import Page, Permanent, scraper
from swather.errors import BadPayload, InputError
from swather.net.errors import HttpStatusError
from swather.net.fetcher import WebFetcher
from swather.store.clock import Clock
from swather.testing import Answer, FakeClock, FakeSite, run_scraper

URL = "https://shop.example/"
PAGE = "<h1>Shop</h1><a href='/two'>two</a>"


@scraper
async def shop(ctx, url):
    page = await ctx.get(url)
    yield {"title": page.css_first("h1").text()}
    for link in page.css("a"):
        ctx.follow(link.attributes["href"])


@scraper
def plain(ctx, url):
    page = ctx.get(url)
    ctx.progress(1, 2)
    return {"title": page.css_first("h1").text()}


def test_an_async_scraper_gives_items_and_further_targets():
    scraped = run_scraper(shop, URL, pages={URL: PAGE})
    assert scraped.items == [{"title": "Shop"}]
    assert scraped.targets == ["https://shop.example/two"]
    assert scraped.children[0].lane == "shop.example"


def test_a_plain_function_does_too():
    scraped = run_scraper(plain, URL, pages={URL: PAGE})
    assert scraped.items == [{"title": "Shop"}]
    assert scraped.progress == [{"done": 1, "total": 2}]


@pytest.mark.parametrize("scraper", [shop, plain], ids=lambda made: made.name)
def test_it_works_inside_a_running_loop(scraper):
    async def test() -> list[object]:
        return run_scraper(scraper, URL, pages={URL: PAGE}).items

    assert asyncio.run(test()) == [{"title": "Shop"}]


def test_errors_come_out_as_they_were_raised():
    @scraper
    async def fails(ctx, target):
        raise Permanent("no", reason="gone")

    with pytest.raises(Permanent, match="no"):
        run_scraper(fails, "a")


def test_errors_come_out_of_a_running_loop_too():
    @scraper
    async def fails(ctx, target):
        raise Permanent("no", reason="gone")

    async def test() -> None:
        run_scraper(fails, "a")

    with pytest.raises(Permanent, match="no"):
        asyncio.run(test())


def test_a_page_that_the_test_did_not_give_is_told():
    with pytest.raises(InputError, match=f"there is no page for {URL}; the test has none"):
        run_scraper(shop, URL)


def test_a_page_may_have_a_status_and_an_error_may_stand_for_one():
    with pytest.raises(HttpStatusError):
        run_scraper(shop, URL, pages={URL: Page(url=URL, status=404)})
    with pytest.raises(ConnectionError):
        run_scraper(shop, URL, pages={URL: ConnectionError("reset")})


def test_two_spellings_of_a_url_are_one_page():
    assert run_scraper(shop, URL, pages={"HTTPS://Shop.Example:443": PAGE}).items


def test_params_are_typed_as_the_scraper_declares_them():
    @dataclass
    class Params:
        pages: int

    @scraper(params=Params)
    async def typed(ctx, target):
        return {"pages": ctx.params.pages}

    assert run_scraper(typed, "a", params={"pages": "3"}).items == [{"pages": 3}]
    with pytest.raises(InputError, match="missing 'pages'"):
        run_scraper(typed, "a")


def test_checkpoints_keep_items_in_order_and_a_cursor_is_handed_on():
    @scraper
    async def steps(ctx, target):
        start = ctx.cursor or 0
        for number in range(start, 3):
            ctx.emit(number)
            await ctx.checkpoint(number + 1)
        ctx.emit(f"attempt {ctx.attempt}")
        ctx.skip(2)

    scraped = run_scraper(steps, "a", cursor=1, attempt=2)
    assert scraped.items == [1, 2, "attempt 2"]
    assert scraped.cursors == [2, 3]
    assert scraped.skipped == 2


def test_files_are_kept_in_memory(tmp_path: Path):
    (tmp_path / "b.txt").write_bytes(b"second")

    @scraper
    async def saves(ctx, target):
        await ctx.save(b"first", name="a.txt")
        await ctx.save(tmp_path / "b.txt", name="b.txt")

    assert run_scraper(saves, "a").files == {"a.txt": b"first", "b.txt": b"second"}


def test_a_class_is_set_up_and_closed():
    called = []

    @scraper
    class Sets:
        def setup(self):
            called.append("setup")

        async def scrape(self, ctx, target):
            called.append("scrape")

        async def close(self):
            called.append("close")

    run_scraper(Sets, "a")
    assert called == ["setup", "scrape", "close"]


def test_items_and_targets_must_be_json():
    @scraper
    async def odd(ctx, target):
        return {"what": object()}

    with pytest.raises(BadPayload, match="item is not JSON"):
        run_scraper(odd, "a")
    with pytest.raises(BadPayload, match="target is not JSON"):
        run_scraper(odd, object())


def test_a_fake_clock_is_a_clock_that_can_be_moved():
    clock = FakeClock()
    before = clock.wall()
    clock.advance(3600)
    assert isinstance(clock, Clock)
    assert clock.wall() - before >= 3600


def test_a_setup_that_takes_the_web_fetches_like_the_scraper():
    @scraper
    class Rates:
        async def setup(self, web):
            self.rate = (await web.get("https://example.com/rate")).json()

        async def scrape(self, ctx, price):
            return price * self.rate

    @scraper
    class PlainRates:
        def setup(self, web):
            self.rate = web.get("https://example.com/rate").json()

        def scrape(self, ctx, price):
            return price * self.rate

    pages = {"https://example.com/rate": "2"}
    assert run_scraper(Rates, 21, pages=pages).items == [42]
    assert run_scraper(PlainRates, 21, pages=pages).items == [42]


def test_a_login_holds_for_the_target():
    def answer(asked):
        if asked.method == "POST":
            return Answer("in", headers={"Set-Cookie": "member=ada; Path=/"})
        return asked.headers.get("cookie", "<form method=post><input name=user></form>")

    @scraper(session="run")
    def members(ctx, url):
        ctx.login(url, {"user": "ada"})
        return ctx.get(url).text

    with FakeSite({"/": answer}) as site:
        assert run_scraper(members, f"{site.url}/", fetcher=WebFetcher()).items == ["member=ada"]


def test_what_a_scraper_remembers_is_in_the_result_and_can_be_given():
    @scraper
    async def forgetful(ctx, target):
        yield await ctx.recall(["early", "late"], max_age=60)
        ctx.remember("late", [target])
        await ctx.checkpoint(1)
        yield await ctx.recall(["early", "late"])
        ctx.remember("last")

    scraped = run_scraper(forgetful, "a", remembered={"early": 1})
    assert scraped.items == [{"early": 1}, {"early": 1, "late": ["a"]}]
    assert scraped.remembered == {"late": ["a"], "last": None}


def test_what_a_scraper_notes_of_sources_is_in_the_result():
    @scraper
    async def asks(ctx, target):
        for name in ("api", "mirror"):
            if not (await ctx.ask_source(name)).is_open:
                ctx.note_source(name, ok=True, seconds=0.5, counts={"images": 2})
        await ctx.checkpoint(1)

    noted = run_scraper(asks, "a", open_sources=["mirror"]).sources
    assert [(note.name, note.answer, note.counts) for note in noted] == [
        ("api", "succeeded", {"images": 2}),
        ("mirror", "skipped", {}),
    ]


def test_a_scraper_that_asks_for_an_egress_does_not_go_out_directly():
    @scraper(tor=True)
    async def hidden(ctx, url):
        return (await ctx.get(url)).text

    assert run_scraper(hidden, "http://a.example/", pages={"http://a.example/": "A"}).items == ["A"]
    with pytest.raises(InputError, match="uses Tor, and a request must not go out directly"):
        run_scraper(hidden, "http://a.example/", fetcher=WebFetcher())


class NotingFetcher:
    """Keeps what it is asked for."""

    def __init__(self):
        self.requests = []

    async def fetch(self, request, policy):
        self.requests.append(request)
        return Page(url=request.url, status=200)

    async def close(self):
        pass


@scraper(tor=True)
async def twice(ctx, url):
    await ctx.get(url)
    await ctx.get(url)
    await ctx.new_identity()
    await ctx.get(url)


def test_a_scraper_through_tor_leaves_by_one_circuit_until_it_asks_for_another():
    fetcher = NotingFetcher()
    run_scraper(twice, URL, fetcher=fetcher, proxy="socks5h://127.0.0.1:9050")
    first, second, third = [request.egress for request in fetcher.requests]
    assert first == second != third
    assert all(one.is_tor and one.proxy_url.endswith("@127.0.0.1:9050") for one in (first, third))


def test_with_pages_of_its_own_a_new_identity_changes_nothing():
    run_scraper(twice, URL, pages={URL: PAGE})


def test_a_new_identity_needs_tor_or_proxies():
    @scraper
    def plain_web(ctx, url):
        ctx.new_identity()

    with pytest.raises(InputError, match="give it @scraper\\(tor=True\\)"):
        run_scraper(plain_web, URL)
