"""Logins through the proxies of the pool, at a site that ties sessions to addresses."""

import secrets
from collections import Counter
from urllib.parse import parse_qs

import pytest

from swather import Proxies, scraper
from swather.model.proxy_list import parse_proxies
from swather.net.egress_policy import PoolPolicy
from swather.scraping.scraper import Scraper
from swather.testing.proxies import VIA, LocalProxies
from swather.testing.site import Answer, Asked, FakeSite
from tests.worker.given import Shop, wait_until

HOST = "club.lan"
LOGIN = f"http://{HOST}/login"
TARGETS = [f"http://{HOST}/page/{number}" for number in range(12)]
FIELDS = {"user": "ada", "password": "open sesame"}
FORM = (
    '<form method="post"><input type="hidden" name="csrf" value="{}"><input name="user">'
    '<input type="password" name="password"><button>Log in</button></form>'
)
# Long enough for a test to see it, and probed soon.
QUICK = PoolPolicy(threshold=1, blacklist_seconds=0.2, probe_seconds=5.0)


class StrictClub(FakeSite):
    """Who comes from another address than the one that was given the form, or that has logged in,
    is a stranger. `addresses` counts the requests from each, `logins` the logins from there, and
    `strangers` the pages that were refused.
    """

    def __init__(self):
        pages = {f"/page/{number}": self._for_members for number in range(40)}
        super().__init__({"/login": self._login, "/home": self._for_members, **pages})
        self.addresses: Counter[str] = Counter()
        self.logins: Counter[str] = Counter()
        self.strangers = 0
        self._members: dict[str, str] = {}
        self._forms: dict[str, str] = {}

    def _answer_to(self, asked: Asked) -> Answer:
        self.addresses[asked.headers.get(VIA, "directly")] += 1
        return super()._answer_to(asked)

    def _login(self, asked: Asked) -> Answer:
        address = asked.headers[VIA]
        if self._is_member(asked):
            return Answer("<p>Log out</p>")
        if asked.method != "POST":
            token = secrets.token_hex(4)
            self._forms[token] = address
            return Answer(FORM.format(token))
        sent = parse_qs(asked.body.decode())
        if self._forms.get(sent["csrf"][0]) != address or sent["password"] != [FIELDS["password"]]:
            return Answer("<p>Whose form is this?</p>")
        self.logins[address] += 1
        session = secrets.token_hex(8)
        self._members[session] = address
        return Answer("", 302, {"Location": "/home", "Set-Cookie": f"session={session}; Path=/"})

    def _for_members(self, asked: Asked) -> Answer:
        if self._is_member(asked):
            return Answer("<h1>Log out</h1>")
        self.strangers += 1
        return Answer("no", 401)

    def _is_member(self, asked: Asked) -> bool:
        session = asked.headers.get("cookie", "").removeprefix("session=")
        return self._members.get(session) == asked.headers[VIA]


@pytest.fixture
def club():
    with StrictClub() as site:
        yield site


@pytest.fixture
def three(club: StrictClub):
    with LocalProxies(3, hosts={HOST: club.url}) as proxies:
        yield proxies


def fill(shop: Shop, proxies: LocalProxies) -> None:
    lines, _ = parse_proxies(proxies.urls)
    shop.store.proxies.load(lines, source="file", replace=True)


class Member:
    async def setup(self, web):
        await web.login(LOGIN, FIELDS, check="Log out")

    async def scrape(self, ctx, url):
        return (await ctx.get(url)).css_first("h1").text()


class PlainMember:
    def setup(self, web):
        web.login(LOGIN, FIELDS, check="Log out")

    def scrape(self, ctx, url):
        return ctx.get(url).css_first("h1").text()


OPTIONS = {
    "proxies": Proxies(strategy="sticky_session"),
    "session": "run",
    "rate": "none",
    "in_flight": None,
    "retries": 0,
}
in_task = scraper(name="in_task", **OPTIONS)(Member)
in_thread = scraper(name="in_thread", **OPTIONS)(PlainMember)
in_child = scraper(name="in_child", isolation="process", **OPTIONS)(Member)
MEMBERS = [in_task, in_thread, pytest.param(in_child, marks=pytest.mark.slow)]


@pytest.mark.slow
@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_login_and_what_follows_leave_through_the_proxy_of_the_session(
    either_shop: Shop, club: StrictClub, three: LocalProxies, member: Scraper
):
    fill(either_shop, three)
    run, report = either_shop.scrape(member, TARGETS, concurrency=2)
    assert report.completed == 12
    assert either_shop.items(run) == ["Log out"] * 12
    (proxy,) = (proxy for proxy in three if proxy.log)
    assert club.addresses == {f"1.1 {proxy.name}": len(proxy.log)}


@scraper(proxies=True, session="proxy", rate="none", in_flight=None, retries=0)
async def each(ctx, url):
    await ctx.login(LOGIN, FIELDS, check="Log out")
    await ctx.get("/home")
    return (await ctx.get(url)).css_first("h1").text()


@pytest.mark.slow
def test_with_a_session_for_each_proxy_each_logs_in_once(
    either_shop: Shop, club: StrictClub, three: LocalProxies
):
    fill(either_shop, three)
    run, report = either_shop.scrape(each, TARGETS, concurrency=4)
    assert report.completed == 12
    assert either_shop.items(run) == ["Log out"] * 12
    assert club.logins == {f"1.1 {proxy.name}": 1 for proxy in three}
    assert "directly" not in club.addresses


@scraper(**{**OPTIONS, "retries": 1, "backoff": 1.0})
async def patient(ctx, url):
    page = await ctx.get(url, check=False)
    if page.status == 401:
        await ctx.login(LOGIN, FIELDS, check="Log out")
        page = await ctx.get(url)
    return page.css_first("h1").text()


@pytest.mark.slow
def test_a_session_whose_proxy_dies_logs_in_through_another(
    shop: Shop, club: StrictClub, three: LocalProxies
):
    fill(shop, three)
    run = shop.run(patient, TARGETS[:6])
    working = shop.start(patient, forever=True)
    wait_until(lambda: shop.counts(run) == {"completed": 6})
    (first,) = (proxy for proxy in three if proxy.log)
    first.die()
    shop.enqueue(run, patient, TARGETS[6:])
    wait_until(lambda: shop.counts(run) == {"completed": 12})
    working.stop()
    assert len(club.logins) == 2
    assert "directly" not in club.addresses


@pytest.mark.slow
@pytest.mark.parametrize("of", [each, patient], ids=["session of a proxy", "sticky session"])
def test_a_probe_does_not_take_a_request_out_of_its_session(
    shop: Shop, club: StrictClub, three: LocalProxies, of: Scraper
):
    fill(shop, three)
    run = shop.run(of, TARGETS[:6])
    working = shop.start(of, pool=QUICK, concurrency=1, forever=True)
    wait_until(lambda: shop.counts(run) == {"completed": 6})
    banned = next(proxy for proxy in three if proxy.log)
    banned.ban(HOST, status=429)
    shop.enqueue(run, of, TARGETS[6:])
    wait_until(lambda: shop.counts(run) == {"completed": 12})
    banned.unban(HOST)
    wait_until(lambda: any(site.state == "probing" for site in _sites(shop)))
    strangers = club.strangers
    shop.enqueue(run, of, [f"http://{HOST}/page/{number}" for number in range(12, 40)])
    wait_until(lambda: sum(shop.counts(run).get(end, 0) for end in ("completed", "failed")) == 40)
    working.stop()
    assert shop.counts(run) == {"completed": 40}
    assert club.strangers == strangers


def _sites(shop: Shop):
    return [
        site for row in shop.store.proxies.find() for site in shop.store.proxies.get(row.id).sites
    ]


def test_a_login_in_setup_is_refused_where_each_proxy_has_a_session(
    shop: Shop, club: StrictClub, three: LocalProxies
):
    """It would be that of the first target's proxy alone."""
    fill(shop, three)
    once = scraper(**{**OPTIONS, "session": "proxy"}, name="once")(Member)
    run, _ = shop.scrape(once, TARGETS[:1])
    task = shop.only(run)
    assert task.state == "failed"
    assert "log in with ctx.login() in scrape()" in task.error
    assert not club.logins
