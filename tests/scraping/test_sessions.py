"""Whose requests share cookies, and how a scraper logs in."""

import asyncio
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from urllib.parse import parse_qs

import msgspec
import pytest

from swather.errors import InputError, Permanent
from swather.net.egress import Egress
from swather.net.errors import HttpStatusError
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.blocking import SyncContext
from swather.scraping.scraper import scraper
from tests.scraping.attempts import FakeVerbs, context
from tests.worker.given import wait_until

URL = "https://example.com/login"
FORM = (
    b'<form action="/find"><input name="q"></form><form method="post" action="/in">'
    b'<input type="hidden" name="csrf" value="t"><input name="user">'
    b'<input type="password" name="pass"></form>'
)
FIELDS = {"user": "ada", "pass": "s3cret"}


def scraper_in(session, **options):
    @scraper(session=session, **options)
    async def books(ctx, target): ...

    return books


@pytest.mark.parametrize(
    ("options", "urls", "sessions"),
    [
        ({"session": None}, ["https://a.example/"], [""]),
        ({"session": "run"}, ["https://a.example/", "https://b.example/"], ["run:1/", "run:1/"]),
        (
            {"session": "lane"},
            ["https://a.example/x", "http://a.example:8080/"],
            ["run:1/lane:a.example", "run:1/lane:a.example:8080"],
        ),
        ({"session": "lane", "lane": "shop"}, ["https://a.example/"], ["run:1/lane:shop"]),
    ],
)
def test_a_session_is_named_after_those_who_share_it(options, urls, sessions):
    verbs = FakeVerbs()
    ctx = context(of=scraper_in(**options), verbs=verbs, lane="shop")
    for url in urls:
        asyncio.run(ctx.get(url))
    assert [request.session for request in verbs.requests] == sessions


def test_a_proxy_has_a_session_of_its_own_whoever_chose_it():
    verbs = FakeVerbs()
    books = scraper_in("proxy")
    ctx = context(of=books, verbs=verbs)
    asyncio.run(ctx.get())
    asyncio.run(ctx.get(proxy="http://p.example:1"))
    books.on_request(lambda _: Request(url="https://example.com/").through("socks5://q.example:2"))
    asyncio.run(ctx.get())
    assert [request.session for request in verbs.requests] == [
        "run:1/proxy:", "run:1/proxy:http://p.example:1", "run:1/proxy:socks5://q.example:2",
    ]  # fmt: skip


def test_the_name_of_a_session_tells_no_password_and_each_login_has_its_own():
    verbs = FakeVerbs()
    ctx = context(of=scraper_in("proxy"), verbs=verbs)
    for password in ("s3cret", "0ther", "s3cret"):
        asyncio.run(ctx.get(proxy=f"http://me:{password}@p.example:1"))
    first, second, third = (request.session for request in verbs.requests)
    assert first == third != second
    assert first.startswith("run:1/proxy:http://p.example:1#")
    assert "s3cret" not in first


def test_a_login_leaves_as_its_hook_says_in_the_session_of_that_egress():
    verbs = Members()
    books = scraper_in("proxy")
    books.on_request(lambda request: request.through("http://p.example:1"))
    ctx = context(of=books, verbs=verbs)
    asyncio.run(ctx.login("/login", FIELDS, check="Log out"))
    assert [(request.method, request.session) for request in verbs.requests] == [
        ("GET", "run:1/proxy:http://p.example:1"), ("POST", "run:1/proxy:http://p.example:1"),
    ]  # fmt: skip
    assert {request.egress for request in verbs.requests} == {Egress.through("http://p.example:1")}


def test_what_is_no_proxy_is_refused_before_anything_is_asked_for():
    verbs = FakeVerbs()
    ctx = context(verbs=verbs)
    blocking = SyncContext(ctx, asyncio.run)
    for proxy in ("", "nonsense", "p.example:3128:me:s3cret"):
        with pytest.raises(InputError, match="a proxy URL must begin with"):
            asyncio.run(ctx.get(proxy=proxy))
        with pytest.raises(InputError, match="a proxy URL must begin with"):
            blocking.post(proxy=proxy)
    assert verbs.requests == []


def test_a_profile_is_the_scrapers_unless_the_request_names_one():
    verbs = FakeVerbs()
    ctx = context(of=scraper_in(None, profile="firefox139"), verbs=verbs)
    asyncio.run(ctx.get())
    asyncio.run(ctx.get(profile="chrome140"))
    assert [request.profile for request in verbs.requests] == ["firefox139", "chrome140"]


class Members(FakeVerbs):
    """A site with a login; `answer` is what its form leads to."""

    def __init__(self, answer=b"<p>Log out</p>", status=200, form=FORM, url=URL):
        super().__init__()
        self.answer = Page(url="https://example.com/home", content=answer, status=status)
        self.login = Page(url=url, content=form)
        self.logged_in = False

    async def fetch(self, request):
        self.requests.append(request)
        await asyncio.sleep(0)
        if request.url.endswith("/in"):
            self.logged_in = True
            return self.answer
        return self.answer if self.logged_in else self.login


def test_login_fills_the_form_with_the_password_and_keeps_its_hidden_fields():
    verbs = Members()
    ctx = context(of=scraper_in("run"), verbs=verbs)
    page = asyncio.run(ctx.login("/login", FIELDS, check="Log out"))
    assert page is verbs.answer
    sent = verbs.requests[1]
    assert (sent.method, sent.url, sent.session) == ("POST", "https://example.com/in", "run:1/")
    assert parse_qs((sent.body or b"").decode()) == {
        "csrf": ["t"], "user": ["ada"], "pass": ["s3cret"],
    }  # fmt: skip


def test_a_form_that_is_no_post_is_sent_as_a_query():
    verbs = Members()
    ctx = context(of=scraper_in("run"), verbs=verbs)
    asyncio.run(ctx.login(URL, {"q": "x"}, form="form[action='/find']"))
    assert verbs.requests[1].full_url == "https://example.com/find?q=x"


def test_who_is_logged_in_does_not_log_in_again():
    verbs = Members()
    books = scraper_in("run")

    async def ten():
        await asyncio.gather(
            *(context(of=books, verbs=verbs).login(URL, FIELDS, check="Log out") for _ in range(10))
        )

    asyncio.run(ten())
    assert [request.method for request in verbs.requests].count("POST") == 1
    assert len(verbs.requests) == 11


@pytest.mark.parametrize(
    ("site", "options", "why"),
    [
        (Members(b"<p>Wrong</p>"), {"check": "Log out"}, "does not show 'Log out'"),
        (Members(b"<p>Wrong</p>"), {"check": lambda page: page.css("nav")}, "pass the check"),
        (Members(status=401), {}, "HTTP 401"),
        (Members(status=403), {"check": "Log out"}, "HTTP 403"),
        (Members(form=b"<p>closed</p>"), {}, "the page has no form"),
        (Members(), {"form": "#none"}, "the page has no form '#none'"),
        (
            Members(form=b"<form method=post action='http://example.com/in'>"),
            {},
            "would send the password unencrypted",
        ),
        (
            Members(b"no", form=b"<form method=post action=/in><input name=email>"),
            {"check": "Log out"},
            "its form has email, not user, pass",
        ),
    ],
    ids=["text", "function", "401", "403", "no form", "not that form", "unencrypted", "names"],
)
def test_a_login_that_fails_says_why_and_tells_no_password(site, options, why):
    ctx = context(of=scraper_in("run"), verbs=site)
    with pytest.raises(Permanent, match=why) as failed:
        asyncio.run(ctx.login(URL, FIELDS, **options))
    assert failed.value.reason == "login_failed"
    assert "s3cret" not in str(failed.value)
    assert "ada" not in str(failed.value)


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_password_in_the_query_of_a_form_is_not_told_either(status):
    class Careless(Members):
        async def fetch(self, request):
            page = await super().fetch(request)
            return msgspec.structs.replace(page, url=request.full_url)

    site = Careless(status=status, form=b"<form action=/in><input name=user><input name=pass>")
    with pytest.raises((Permanent, HttpStatusError)) as failed:
        asyncio.run(context(of=scraper_in("run"), verbs=site).login(URL, FIELDS))
    assert "s3cret" in site.requests[1].full_url
    assert "s3cret" not in str(failed.value)
    assert "s3cret" not in str(vars(failed.value))


@pytest.mark.parametrize("status", [429, 500])
def test_a_site_that_is_down_is_no_wrong_password(status):
    ctx = context(of=scraper_in("run"), verbs=Members(status=status))
    with pytest.raises(HttpStatusError):
        asyncio.run(ctx.login(URL, FIELDS, check="Log out"))


def test_a_login_without_cookies_is_refused():
    with pytest.raises(InputError, match=r"give it @scraper\(session='run'\)"):
        asyncio.run(context(of=scraper_in(None)).login(URL, FIELDS))


def test_a_plain_scraper_logs_in_as_well():
    verbs = Members()
    ctx = SyncContext(context(of=scraper_in("run"), verbs=verbs), asyncio.run)
    assert ctx.login(URL, FIELDS, check="Log out") is verbs.answer
    assert ctx.page is verbs.answer


def on(loop, futures=None):
    """Runs coroutines on the loop of another thread, as a worker does for its threads."""

    def run(coroutine):
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        if futures is not None:
            futures.append(future)
        return future.result(20)

    return run


@pytest.fixture
def loop():
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever)
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join(10)
    made.close()


def test_hooks_and_checks_of_a_plain_login_run_in_the_thread_of_the_scraper(loop):
    threads = []
    books = scraper_in("run")
    books.on_request(lambda _: threads.append(threading.get_ident()))

    def check(page):
        threads.append(threading.get_ident())
        return "Log out" in page.text

    verbs = Members()
    ctx = SyncContext(context(of=books, verbs=verbs), on(loop))
    assert ctx.login(URL, FIELDS, check=check) is verbs.answer
    assert threads == [threading.get_ident()] * 4


def test_threads_that_log_in_to_one_session_take_turns(loop):
    verbs = Members()
    books = scraper_in("run")

    def login(_):
        ctx = SyncContext(context(of=books, verbs=verbs), on(loop))
        return ctx.login(URL, FIELDS, check="Log out")

    with ThreadPoolExecutor(10) as threads:
        assert list(threads.map(login, range(10))) == [verbs.answer] * 10
    assert [request.method for request in verbs.requests].count("POST") == 1
    assert len(verbs.requests) == 11


def test_who_is_stopped_in_its_turn_or_before_it_gives_it_up(loop):
    verbs = Members()
    books = scraper_in("run")
    waiting = asyncio.run_coroutine_threadsafe(asyncio.sleep(0, asyncio.Event()), loop).result(10)
    fetch = verbs.fetch

    async def endless(request):
        verbs.requests.append(request)
        await waiting.wait()

    verbs.fetch = endless
    futures = [], []

    def login(mine):
        ctx = SyncContext(context(of=books, verbs=verbs), on(loop, mine))
        with pytest.raises(CancelledError):
            ctx.login(URL, FIELDS, check="Log out")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(login, futures[0])
        wait_until(lambda: verbs.requests and len(futures[0]) == 2)
        second = threads.submit(login, futures[1])
        wait_until(lambda: futures[1])
        for mine in reversed(futures):
            mine[-1].cancel()
        first.result(10)
        second.result(10)
    verbs.fetch = fetch
    ctx = SyncContext(context(of=books, verbs=verbs), on(loop))
    assert ctx.login(URL, FIELDS, check="Log out") is verbs.answer
