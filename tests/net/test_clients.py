"""What every client does with a real server: requests as they go out, pages as they come in."""

import asyncio
import inspect

import pytest

from swather import __version__
from swather.errors import InputError, MissingExtra
from swather.net import client as client_module
from swather.net import wreq_client
from swather.net.client import Client, Response, new_client
from swather.net.errors import ConnectionFailed
from swather.net.fetcher import Fetcher, WebFetcher
from swather.net.request import Request
from swather.testing.pages import PageFetcher
from tests.net.fetching import RecordingPolicy, fake_dns, fetch
from tests.net.site import respond, send, site


def test_a_page_comes_with_status_headers_and_content(client):
    page, served = fetch(
        client,
        "/a",
        of={"a": respond("Köln".encode(), "203 Ok", Content_Type="text/plain", X_Odd="é")},
    )
    assert (page.status, page.text, page.url) == (203, "Köln", f"{served.url}/a")
    assert page.headers["content-type"] == "text/plain"
    assert page.headers["X-Odd"] == "é"


def test_we_say_who_we_are_and_what_we_can_unpack(client):
    _, served = fetch(client, "/a", of={"a": respond()})
    headers = served.asked[0].headers
    assert headers["user-agent"] == f"swather/{__version__}"
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert headers["accept"] == "*/*"
    assert set(headers) == {"user-agent", "accept-encoding", "accept", "host"}


def test_a_user_agent_of_ones_own(client):
    _, served = fetch(client, "/a", of={"a": respond()}, options={"user_agent": "mine/1"})
    assert served.asked[0].headers["user-agent"] == "mine/1"


def test_headers_of_a_request_take_the_place_of_ours_in_any_case(client):
    _, served = fetch(client, "/a", of={"a": respond()}, headers={"user-agent": "other"})
    assert served.asked[0].headers["user-agent"] == "other"


def test_a_request_carries_its_method_headers_query_and_body(client):
    _, served = fetch(
        client, "/a?x=1", of={"a": respond()},
        method="put", headers={"X-Mine": "yes"}, params={"q": "ü b"}, body=b"{}",
    )  # fmt: skip
    asked = served.asked[0]
    assert (asked.method, asked.path, asked.body) == ("PUT", "/a?x=1&q=%C3%BC+b", b"{}")
    assert asked.headers["x-mine"] == "yes"


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/a b?c d", "/a%20b?c%20d"),
        ("/ü?ß=é", "/%C3%BC?%C3%9F=%C3%A9"),
        ("/x/../a/./b", "/a/b"),
        ("/%2e%2E/a", "/a"),
        ("/a#fragment", "/a"),
        ("/a%2Fb?c=%26", "/a%2Fb?c=%26"),
        ("\\a\\b", "/a/b"),
        ('/<a>"|{b}', "/%3Ca%3E%22|%7Bb%7D"),
        ("?q=1", "/?q=1"),
        ("", "/"),
    ],
)
def test_a_path_is_sent_as_every_client_reads_it(client, path, sent):
    def run():
        async def answer(asked, writer):
            await respond(asked.path.encode())(asked, writer)

        async def one():
            fetcher = WebFetcher(client)
            async with site() as served:
                served.pages = _Everywhere(answer)
                page = await fetcher.fetch(Request(url=served.url.replace("\\", "/") + path))
                await fetcher.close()
                return page, served.url

        return asyncio.run(one())

    page, url = run()
    assert page.text == sent
    assert page.url == url + sent


class _Everywhere(dict):
    def __init__(self, answer):
        self._answer = answer

    def __missing__(self, _):
        return self._answer


def test_name_and_password_in_a_url_are_sent_as_such_and_are_gone_from_the_page(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site(a=respond()) as served:
            page = await fetcher.fetch(
                Request(url=served.url.replace("//", "//me:s%C3%A9cret@") + "/a")
            )
            await fetcher.close()
            return page, served

    page, served = asyncio.run(run())
    assert served.asked[0].headers["authorization"] == "basic bwu6c8opy3jlda=="
    assert page.url == f"{served.url}/a"


def test_an_error_status_is_a_page_too(client):
    page, _ = fetch(client, "/a", of={"a": respond(b"no", "404 Not Found")})
    assert (page.status, page.content) == (404, b"no")


def test_a_head_request_has_no_body_however_large_it_is_announced(client):
    head = send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
    page, _ = fetch(client, "/a", of={"a": head}, method="HEAD")
    assert (page.status, page.content) == (200, b"")


def test_an_answer_without_a_length_ends_with_its_connection(client):
    page, _ = fetch(client, "/a", of={"a": send(b"HTTP/1.0 200 OK\r\n\r\nall of it", close=True)})
    assert page.content == b"all of it"


def test_a_method_that_does_not_exist_is_refused(client):
    with pytest.raises(InputError, match="'FETCH' is not an HTTP method"):
        fetch(client, "/a", of={}, method="FETCH")


def test_headers_that_would_make_two_requests_of_one_are_refused(client):
    with pytest.raises(InputError, match="cannot be requested"):
        fetch(client, "/a", of={"a": respond()}, headers={"X": "a\r\nHost: b"})


def test_proxy_credentials_never_reach_the_origin(client):
    _, served = fetch(client, "/a", of={"a": respond()}, headers={"Proxy-Authorization": "secret"})
    assert "proxy-authorization" not in served.asked[0].headers


def test_proxies_of_the_environment_are_not_used(client, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    page, _ = fetch(client, "/a", of={"a": respond(b"direct")})
    assert page.content == b"direct"


def test_a_fetch_can_be_cancelled(client):
    async def run():
        asked = asyncio.Event()

        async def never(_, writer):
            asked.set()
            await asyncio.Event().wait()

        async with site(a=never) as served:
            fetcher = WebFetcher(client)
            fetching = asyncio.create_task(fetcher.fetch(Request(url=f"{served.url}/a")))
            await asked.wait()
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching
            await fetcher.close()

    asyncio.run(run())


def test_connections_are_kept_and_shared(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site(a=respond(b"x"), r=respond(b"!", "302 Found", Location="/a")) as served:
            for _ in range(3):
                request = Request(url=f"{served.url}/r")
                pages = await asyncio.gather(*(fetcher.fetch(request) for _ in range(20)))
                assert all(page.content == b"x" for page in pages)
            await fetcher.close()
            return served

    served = asyncio.run(run())
    assert len(served.asked) == 120
    assert served.connections <= 20


def test_many_hosts_leave_few_behind_and_a_request_under_way_is_not_cut(monkeypatch):
    monkeypatch.setattr(wreq_client, "MAX_CLIENTS", 3)

    async def run():
        names = {f"h{number}_example": ["127.0.0.1"] for number in range(20)}
        fetcher = WebFetcher("wreq", resolve=fake_dns(**names))
        asked, go_on = asyncio.Event(), asyncio.Event()

        async def slow(_, writer):
            asked.set()
            await go_on.wait()
            await respond(b"slow")(_, writer)

        async with site(a=respond(b"x"), slow=slow) as served:
            url = served.url.replace("127.0.0.1", "h{}.example")
            first = asyncio.create_task(fetcher.fetch(Request(url=f"{url.format(0)}/slow")))
            await asked.wait()
            for number in range(1, 20):
                await fetcher.fetch(Request(url=f"{url.format(number)}/a"))
            go_on.set()
            assert (await first).content == b"slow"
            kept = len(fetcher._client._by_pin)
            await fetcher.close()
            return kept

    assert asyncio.run(run()) == 3


def test_a_closed_fetcher_says_so(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site(a=respond()) as served:
            await fetcher.fetch(Request(url=f"{served.url}/a"))
            await fetcher.close()
            with pytest.raises(ConnectionFailed, match="the fetcher is closed"):
                await fetcher.fetch(Request(url=f"{served.url}/a"))

    asyncio.run(run())


def test_a_policy_is_told_of_every_hop(client):
    policy = RecordingPolicy("127.0.0.1")
    page, served = fetch(
        client, "/a", policy=policy,
        of={
            "a": respond(b"", "302 Found", Location="/b"),
            "b": respond(b"", "429 Slow down", Retry_After="7"),
        },
    )  # fmt: skip
    assert page.status == 429
    a, b = f"{served.url}/a", f"{served.url}/b"
    assert policy.admitted == [a, b]
    assert policy.answers == [(a, 302, None), (b, 429, 7.0)]
    assert policy.failures == []


def test_a_policy_may_refuse_a_hop_before_it_is_made(client):
    class Refusing(RecordingPolicy):
        async def admit(self, url, origin, egress):
            if url.endswith("/b"):
                raise LookupError(url)

    with pytest.raises(LookupError, match="/b"):
        fetch(
            client, "/a", policy=Refusing("127.0.0.1"),
            of={"a": respond(b"", "302 Found", Location="/b")},
        )  # fmt: skip


@pytest.mark.slow
def test_what_a_policy_waits_for_is_not_taken_from_the_time_of_the_fetch(client):
    class Slow(RecordingPolicy):
        async def admit(self, url, origin, egress):
            await asyncio.sleep(0.4)

    page, _ = fetch(
        client, "/a", policy=Slow("127.0.0.1"), timeout=0.35,
        of={"a": respond(b"", "302 Found", Location="/b"), "b": respond(b"B")},
    )  # fmt: skip
    assert page.content == b"B"


@pytest.mark.parametrize("body", [None, b""], ids=["none", "empty"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_request_that_should_have_a_body_tells_that_it_has_none(client, method, body):
    _, served = fetch(client, "/a", of={"a": respond()}, method=method, body=body)
    assert served.asked[0].headers.get("content-length") == "0"


def test_the_length_of_a_page_that_is_unchanged_does_not_count(client):
    unchanged = send(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99999999\r\n\r\n")
    page, _ = fetch(client, "/a", of={"a": unchanged})
    assert (page.is_unchanged, page.content) == (True, b"")


def test_cookies_of_a_session_are_kept_and_sent(client):
    async def run():
        fetcher = WebFetcher(client)
        pages = {
            "in": respond(b"", "302 Found", Location="/a", Set_Cookie="user=me; Path=/"),
            "a": respond(b"a"),
        }
        async with site(**pages) as served:
            for path, session in (("/in", "s"), ("/a", "s"), ("/a", ""), ("/a", "other")):
                await fetcher.fetch(Request(url=served.url + path, session=session))
            own = {"Cookie": "x=1"}
            await fetcher.fetch(Request(url=f"{served.url}/a", session="s", headers=own))
            await fetcher.close()
            return [asked.headers.get("cookie") for asked in served.asked]

    assert asyncio.run(run()) == [None, "user=me", "user=me", None, None, "user=me; x=1"]


def test_a_cookie_goes_back_as_the_bytes_that_it_came_as(client):
    async def run():
        fetcher = WebFetcher(client)
        cookie = "user=山".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: " + cookie + b"\r\n\r\n"
        async with site(a=send(head)) as served:
            for _ in range(2):
                await fetcher.fetch(Request(url=f"{served.url}/a", session="s"))
            await fetcher.close()
            return served.asked[1].headers["cookie"].encode("latin-1"), cookie

    sent, cookie = asyncio.run(run())
    assert sent == cookie


def test_a_browser_profile_looks_like_the_browser():
    _, served = fetch("wreq", "/a", of={"a": respond()}, profile="chrome140")
    headers = served.asked[0].headers
    assert "chrome/140" in headers["user-agent"]
    assert "sec-ch-ua" in headers


def test_a_profile_nobody_knows_is_refused():
    with pytest.raises(InputError, match="no browser profile 'netscape4'"):
        fetch("wreq", "/a", of={}, profile="netscape4")


def test_aiohttp_has_no_profiles_and_says_who_has():
    with pytest.raises(InputError, match="http_client = wreq"):
        fetch("aiohttp", "/a", of={}, profile="chrome140")


def test_a_client_nobody_knows_is_refused():
    with pytest.raises(InputError, match="http_client must be one of wreq, aiohttp, got 'curl'"):
        WebFetcher("curl")


def test_a_client_that_is_not_installed_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(client_module._CLIENTS, "aiohttp", ("no_such_module", "Client"))
    with pytest.raises(MissingExtra, match=r"pip install 'swather\[aiohttp\]'"):
        WebFetcher("aiohttp")


@pytest.mark.parametrize("kind", [WebFetcher, PageFetcher], ids=lambda kind: kind.__name__)
def test_they_have_every_verb_of_a_fetcher(kind):
    for name, verb in _verbs(Fetcher):
        # One that returns a coroutine is as good as one that is a coroutine function.
        own = inspect.signature(getattr(kind, name))
        assert own.parameters == inspect.signature(verb).parameters


def test_every_client_and_its_response_have_the_verbs_of_one(client):
    module = inspect.getmodule(type(new_client(client, WebFetcher(client)._client._options)))
    kinds = [kind for name, kind in vars(module).items() if name.endswith(("Client", "Response"))]
    for kind in (kind for kind in kinds if kind.__module__ == module.__name__):
        port = Response if kind.__name__.endswith("Response") else Client
        for name, verb in _verbs(port):
            own = inspect.signature(getattr(kind, name))
            assert list(own.parameters) == list(inspect.signature(verb).parameters)


def _verbs(port):
    members = inspect.getmembers(port, inspect.isfunction)
    return [(name, verb) for name, verb in members if not name.startswith("_")]
