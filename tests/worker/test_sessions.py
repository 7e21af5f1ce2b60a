"""setup(web), its login and the session it opens, however a scraper is isolated."""

import secrets
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from swather.net.fetcher import WebFetcher
from swather.scraping.scraper import Scraper, scraper
from swather.testing import Answer, Asked, FakeSite
from tests.worker.given import Shop, wait_until

PASSWORD = "open sesame"  # noqa: S105 - of a site that lasts a second
FORM = (
    '<form method="post"><input type="hidden" name="csrf" value="t0ken"><input name="user">'
    '<input type="password" name="password"><button>Log in</button></form>'
)


class Club(FakeSite):
    """Pages for members only; `logins` counts how often somebody has logged in."""

    def __init__(self):
        super().__init__(
            {
                "/login": self._login,
                "/home": self._for_members,
                "/robots.txt": "",
                **{f"/page/{number}": self._for_members for number in range(40)},
            }
        )
        self.logins = 0
        self.sessions: set[str] = set()

    def _login(self, asked: Asked) -> Answer:
        if self._is_member(asked):
            return Answer("<p>Log out</p>")
        if asked.method != "POST":
            return Answer(FORM)
        sent = parse_qs(asked.body.decode())
        if (sent.get("csrf"), sent.get("password")) != (["t0ken"], [PASSWORD]):
            return Answer("<p>Wrong password</p>")
        self.logins += 1
        session = secrets.token_hex(8)
        self.sessions.add(session)
        cookie = f"session={session}; Path=/; HttpOnly"
        return Answer("", 302, {"Location": "/home", "Set-Cookie": cookie})

    def _for_members(self, asked: Asked) -> Answer:
        return Answer("<h1>Log out</h1>") if self._is_member(asked) else Answer("no", 401)

    def _is_member(self, asked: Asked) -> bool:
        return asked.headers.get("cookie", "").removeprefix("session=") in self.sessions


@pytest.fixture
def club() -> Iterator[Club]:
    with Club() as site:
        yield site


class Member:
    async def setup(self, web):
        fields = {"user": "ada", "password": web.params.get("password", PASSWORD)}
        await web.login(f"{web.params['site']}/login", fields, check="Log out")

    async def scrape(self, ctx, url):
        page = await ctx.get(url)
        return page.css_first("h1").text()


class PlainMember:
    def setup(self, web):
        fields = {"user": "ada", "password": web.params.get("password", PASSWORD)}
        web.login(f"{web.params['site']}/login", fields, check="Log out")

    def scrape(self, ctx, url):
        return ctx.get(url).css_first("h1").text()


OPTIONS = {"session": "run", "in_flight": None, "retries": 0, "allow_private": True}
in_task = scraper(name="in_task", **OPTIONS)(Member)
in_thread = scraper(name="in_thread", **OPTIONS)(PlainMember)
in_child = scraper(name="in_child", isolation="process", **OPTIONS)(Member)
in_plain_child = scraper(name="in_plain_child", isolation="process", **OPTIONS)(PlainMember)
MEMBERS = [
    in_task,
    in_thread,
    pytest.param(in_child, marks=pytest.mark.slow),
    pytest.param(in_plain_child, marks=pytest.mark.slow),
]


def run_of(shop: Shop, member: Scraper, club: Club, count: int, **params: str) -> str:
    urls = [f"{club.url}/page/{number}" for number in range(count)]
    return shop.run(member, urls, params={"site": club.url, **params})


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_one_login_is_seen_by_every_task_of_the_run(shop: Shop, club: Club, member: Scraper):
    run = run_of(shop, member, club, 20)
    shop.start(member, run=run, concurrency=2).report()
    assert shop.counts(run) == {"completed": 20}
    assert shop.items(run) == ["Log out"] * 20
    # Children cannot wait for each other: two may begin at once.
    assert 1 <= club.logins <= (2 if "child" in member.name else 1)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_wrong_password_is_told_and_nothing_is_fetched(shop: Shop, club: Club, member: Scraper):
    run = run_of(shop, member, club, 2, password="guess")  # noqa: S106 - it is wrong
    shop.start(member, run=run, concurrency=1).report()
    tasks = shop.tasks(run).values()
    assert {task.reason for task in tasks} == {"login_failed"}
    assert all("does not show 'Log out'" in task.error for task in tasks)
    assert not any("guess" in task.error for task in tasks)
    assert not any(path.startswith("/page") for path in club.requests)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_each_run_logs_in_for_itself(shop: Shop, club: Club, member: Scraper):
    runs = [run_of(shop, member, club, 5) for _ in range(2)]
    worker = shop.start(member, concurrency=1)
    worker.report()
    assert [shop.counts(run) for run in runs] == [{"completed": 5}] * 2
    assert club.logins == 2


@scraper(session="lane", in_flight=None, allow_private=True)
async def by_lane(ctx, url):
    return (await ctx.get(f"{url}?account={ctx.params['account']}")).text


@scraper(session="proxy", in_flight=None, allow_private=True)
async def by_proxy(ctx, url):
    return (await ctx.get(f"{url}?account={ctx.params['account']}")).text


@scraper(session="run", in_flight=None, allow_private=True)
async def by_own_name(ctx, url):
    return (await ctx.get(f"{url}?account={ctx.params['account']}")).text


@by_own_name.on_request
def in_own_session(request):
    return request.in_session("mine")


@pytest.fixture
def bank() -> Iterator[FakeSite]:
    """Says as whom it knows a visitor, and takes whoever is new for the account he names."""

    def answer(asked: Asked) -> Answer:
        known = asked.headers.get("cookie", "").removeprefix("account=")
        return Answer(
            known or "nobody",
            200,
            {"Set-Cookie": f"account={asked.query.removeprefix('account=')}"},
        )

    with FakeSite({"/0": answer, "/1": answer, "/2": answer, "/robots.txt": ""}) as site:
        yield site


@pytest.mark.slow
@pytest.mark.parametrize("visitor", [by_lane, by_proxy, by_own_name], ids=lambda each: each.name)
def test_a_run_does_not_begin_logged_in_as_another_one(
    shop: Shop, bank: FakeSite, visitor: Scraper
):
    working = shop.start(visitor, forever=True, concurrency=1)
    said = []
    for account in ("ada", "bob"):
        urls = [f"{bank.url}/{number}" for number in range(3)]
        run = shop.run(visitor, urls, params={"account": account})
        wait_until(lambda run=run: shop.counts(run) == {"completed": 3})
        said.append(shop.items(run))
    working.stop()
    assert said == [["nobody", "ada", "ada"], ["nobody", "bob", "bob"]]


def test_the_sessions_of_a_run_end_with_it(shop: Shop, bank: FakeSite):
    fetchers: list[WebFetcher] = []

    def new_fetcher() -> WebFetcher:
        fetchers.append(WebFetcher())
        return fetchers[-1]

    working = shop.start(by_lane, forever=True, new_fetcher=new_fetcher, poll_seconds=0.05)
    run = shop.run(by_lane, [f"{bank.url}/0"], params={"account": "ada"})
    wait_until(lambda: shop.store.runs.get(run).state == "finished")
    wait_until(lambda: fetchers and not len(fetchers[0].sessions))
    working.stop()


def test_a_scraper_without_a_session_keeps_no_cookies(shop: Shop, club: Club):
    @scraper(allow_private=True, retries=0)
    async def stranger(ctx, url):
        fields = {"csrf": "t0ken", "password": PASSWORD}
        await ctx.post(f"{ctx.params['site']}/login", data=fields, check=False)
        return (await ctx.get(url, check=False)).status

    run = run_of(shop, stranger, club, 1)
    shop.start(stranger, run=run).report()
    assert shop.items(run) == [401]
    assert club.logins == 1


@scraper(name="hooked", isolation="process", allow_private=True)
def hooked(ctx, url):
    page = ctx.get(url, etag='"1"', headers={"X-Own": "1"})
    return [{"status": page.status, "same": page.is_unchanged, "etag": page.etag}, "dropped"]


@hooked.on_request
def signed(request):
    return request.with_headers({"X-Signed": "yes"})


@hooked.on_item
def dropped(item):
    return None if item == "dropped" else item


@pytest.mark.slow
def test_hooks_and_conditional_requests_work_in_a_child(shop: Shop):
    seen = []

    def answer(asked: Asked) -> Answer:
        seen.append(asked.headers)
        return Answer("", 304, {"ETag": '"1"'})

    with FakeSite({"/": answer, "/robots.txt": ""}) as site:
        run, _ = shop.scrape(hooked, [f"{site.url}/"])
        assert shop.items(run) == [{"status": 304, "same": True, "etag": '"1"'}]
    (headers,) = seen
    assert (headers["x-signed"], headers["x-own"], headers["if-none-match"]) == ("yes", "1", '"1"')
