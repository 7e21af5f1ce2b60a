"""Every request of a page is admitted, followed and told to its policy."""

import asyncio

import pytest

from swather.errors import Postponed
from swather.net.egress import DIRECT
from swather.net.errors import Disallowed, LaneBusy
from tests.net.browser.visiting import html, visit
from tests.net.fetching import RecordingPolicy
from tests.net.site import respond, send, site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SCRIPT = {"Content_Type": "text/javascript"}


class Policies:
    """One per request, with what it was told."""

    def __init__(self, refuse=None):
        self.made = []
        self.refuse = refuse or {}

    def new(self, is_page):
        made = _Policy(is_page, self.refuse)
        self.made.append(made)
        return made

    def of(self, end):
        return [each for each in self.made if any(url.endswith(end) for url in each.admitted)]


class _Policy(RecordingPolicy):
    def __init__(self, is_page, refuse):
        super().__init__("127.0.0.1", "localhost")
        self.is_page = is_page
        self.refuse = refuse
        self.ends = 0

    def admit(self, url, origin, egress):
        super().admit(url, origin, egress)
        for end, error in self.refuse.items():
            if url.endswith(end):
                raise error
        return asyncio.sleep(0)

    def end(self):
        self.ends += 1


def seen(in_browser, pages, policies, path="page", then=None):
    async def scene(browser):
        async with site(**pages) as served:
            wanted = visit()
            object.__setattr__(wanted, "new_policy", policies.new)
            async with browser.visit(wanted) as tab:
                page = await tab.render(f"{served.url}/{path}")
                if then is not None:
                    await then(tab)
            await browser.settled()
            return page, served

    return in_browser(scene)


def test_each_request_is_admitted_answered_and_ended(in_browser):
    policies = Policies()
    pages = {
        "page": html("<script src=/script></script><img src=/none>"),
        "script": respond(b"fetch('/busy')", **SCRIPT),
        "none": respond(b"", "404 Not Found"),
        "busy": respond(b"", "429 Slow", Retry_After="9"),
    }
    seen(in_browser, pages, policies, then=lambda tab: tab.wait_for_load_state("networkidle"))
    told = {each.answers[0][0].rpartition("/")[2]: each for each in policies.made if each.answers}
    assert {name: (each.is_page, each.answers[0][1:]) for name, each in told.items()} == {
        "page": (True, (200, None)),
        "script": (False, (200, None)),
        "none": (False, (404, None)),
        "busy": (False, (429, 9.0)),
    }
    assert all(each.ends == 1 and each.egresses == [DIRECT] for each in told.values())


def test_an_error_status_without_a_body_is_an_answer_and_no_failure(in_browser):
    policies = Policies()
    seen(in_browser, {"page": respond(b"", "429 Slow", Retry_After="9")}, policies)
    (page,) = policies.of("/page")
    assert [each[1:] for each in page.answers] == [(429, 9.0)]
    assert page.failures == []
    assert page.ends == 1


def test_a_redirect_is_admitted_before_it_is_sent_and_answered_by_the_same_policy(in_browser):
    policies = Policies()
    pages = {
        "start": respond(b"", "302 Found", Location="/page"),
        "page": html("there"),
    }
    page, served = seen(in_browser, pages, policies, path="start")
    assert page.url == f"{served.url}/page"
    (one,) = [each for each in policies.made if each.answers]
    assert [(url.rpartition("/")[2], status) for url, status, _ in one.answers] == [
        ("start", 302),
        ("page", 200),
    ]
    assert len(policies.of("/page")) == 1


def test_what_a_redirect_leads_to_is_not_asked_for_if_it_is_disallowed(in_browser):
    policies = Policies({"/page": Disallowed("robots.txt")})
    pages = {"start": respond(b"", "302 Found", Location="/page"), "page": html("there")}
    paths = []

    async def scene(browser):
        async with site(**pages) as served:
            wanted = visit()
            object.__setattr__(wanted, "new_policy", policies.new)
            try:
                async with browser.visit(wanted) as tab:
                    await tab.render(f"{served.url}/start")
            finally:
                paths.extend(asked.path for asked in served.asked)

    with pytest.raises(Disallowed):
        in_browser(scene)
    assert paths == ["/start"]


@pytest.mark.parametrize("error", [Disallowed("robots.txt"), Postponed("closed")])
def test_what_refuses_the_page_itself_is_raised(in_browser, error):
    with pytest.raises(type(error)) as raised:
        seen(in_browser, {"page": html("a")}, Policies({"/page": error}))
    assert raised.value is error


def test_what_refuses_something_the_page_loads_is_only_missing(in_browser):
    busy = LaneBusy("cdn.example", "it is closed", is_closed=True)
    pages = {"page": html("<p>a</p><script src=/script></script>")}
    page, served = seen(in_browser, pages, Policies({"/script": busy}))
    assert page.one("p").text() == "a"
    assert [asked.path for asked in served.asked] == ["/page"]


def test_a_web_socket_is_admitted_by_its_host(in_browser):
    policies = Policies()
    there = send(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    opening = """<script>
      const socket = new WebSocket("ws://localhost:" + location.port + "/socket");
      socket.onerror = () => document.title = "over";
    </script>"""
    pages = {"page": html(opening), "socket": there}
    _, served = seen(
        in_browser,
        pages,
        policies,
        then=lambda tab: tab.wait_for_function("document.title == 'over'"),
    )
    port = served.url.rpartition(":")[2]
    assert [asked.path for asked in served.asked] == ["/page", "/socket"]
    assert len(policies.of(f"localhost:{port}")) == 1


def test_a_connection_that_breaks_is_told_as_one(in_browser):
    async def breaking(_, writer):
        writer.transport.abort()

    policies = Policies()
    pages = {"page": html("<img src=/broken>"), "broken": breaking}
    seen(in_browser, pages, policies)
    (one,) = [each for each in policies.of("/broken") if each.failures]
    assert [kind.__name__ for _, kind in one.failures] == ["ConnectionFailed"]
