"""Where fetches may go, seen on real servers. Names are those of a fake DNS."""

import asyncio
import time
from ipaddress import ip_address

import pytest

from swather.net.egress import DIRECT
from swather.net.errors import ConnectionFailed, FetchTimeout, Refused, UnusableURL
from swather.net.fetch_policy import SimplePolicy
from swather.net.fetcher import WebFetcher
from swather.net.guard import Guard
from swather.net.private_hosts import NOT_ALLOWED
from swather.net.request import Request
from swather.scraping.classify import classify
from tests.net.fetching import RecordingPolicy, fake_dns, fetch
from tests.net.site import respond, site

# An address of the public web at which nobody answers here.
PUBLIC = "93.184.216.34"


def redirected_to(client, location, *, names=None, policy=None):
    """Fetch a page of a public-looking name that leads to `location`, in which PORT is that of the
    same server; how it was refused, and how often the server was asked.

    The name is at 127.0.0.1, as a fake DNS says, and the policy allows it: as if it were public.
    """

    async def run():
        dns = fake_dns(shop_example=["127.0.0.1"], **(names or {}))
        fetcher = WebFetcher(client, resolve=dns, connect_seconds=0.3, timeout_seconds=2)
        secret = respond(b"secret")
        async with site(secret=secret) as served:
            port = served.url.rpartition(":")[2]
            to = location.replace("PORT", port)
            served.pages["/a"] = respond(b"", "302 Found", Location=to)
            request = Request(url=f"http://shop.example:{port}/a")
            try:
                with pytest.raises(Refused) as raised:
                    await fetcher.fetch(request, policy or RecordingPolicy("shop.example"))
            finally:
                await fetcher.close()
            return raised.value, len(served.asked)

    return asyncio.run(run())


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:PORT/secret",
        "http://localhost:PORT/secret",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]:PORT/secret",
        "http://0x7f000001:PORT/secret",
        "http://2130706433:PORT/secret",
        "http://0177.0.0.1:PORT/secret",
        "http://127.1:PORT/secret",
        "http://0:PORT/secret",
        "http://[::ffff:127.0.0.1]:PORT/secret",
        "http://[64:ff9b::7f00:1]:PORT/secret",
        "http://127.0.0.1.:PORT/secret",
        "http://inside.example:PORT/secret",
        "http://mixed.example:PORT/secret",
        "//127.0.0.1:PORT/secret",
    ],
)
def test_a_redirect_into_the_private_network_is_refused_before_anything_is_sent(client, location):
    names = {
        "localhost": ["127.0.0.1"],
        "inside_example": ["10.0.0.7"],
        "mixed_example": [f"{PUBLIC} 127.0.0.1"],
    }
    error, asked = redirected_to(client, location, names=names)
    assert asked == 1
    assert "allow_private=True" in str(error)
    classified = classify(error)
    assert (str(classified.fault.error_class), classified.reason) == (
        "permanent",
        "private_address",
    )


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://a.example/", "gopher://x:70/_"])
def test_a_redirect_to_what_is_no_web_page_is_refused(client, location):
    error, asked = redirected_to(client, location)
    assert isinstance(error, UnusableURL)
    assert asked == 1
    assert classify(error).reason == "bad_url"


def test_another_port_of_a_host_that_may_be_reached_is_asked_for(client):
    class OnlyPort(RecordingPolicy):
        async def refusal(self, host, port, address, *, private):
            self.private.append((host, port))
            return None if port == self.private[0][1] else NOT_ALLOWED

    policy = OnlyPort()
    error, _ = redirected_to(client, "http://shop.example:22/", policy=policy)
    assert "http://shop.example:22 is at 127.0.0.1" in str(error)
    assert [host for host, _ in policy.private] == ["shop.example", "shop.example"]


def test_a_private_target_that_nobody_typed_is_refused(client):
    with pytest.raises(Refused, match=r"http://127\.0\.0\.1:\d+ is not on the public web"):
        fetch(client, "/a", of={"a": respond()}, policy=SimplePolicy())


def test_a_name_is_connected_to_at_the_addresses_that_were_checked(client):
    """No DNS but ours knows the name, so that the page can only come from the address it gave."""

    async def run():
        dns = fake_dns(pinned_example=["127.0.0.1"])
        fetcher = WebFetcher(client, resolve=dns)
        async with site(a=respond(b"here")) as served:
            url = served.url.replace("127.0.0.1", "pinned.example") + "/a"
            pages = [await fetcher.fetch(Request(url=url)) for _ in range(3)]
            await fetcher.close()
            return pages, dns, served

    pages, dns, served = asyncio.run(run())
    assert {page.content for page in pages} == {b"here"}
    assert dns.asked == ["pinned.example"]
    assert served.asked[0].headers["host"].startswith("pinned.example:")


@pytest.mark.slow
def test_a_name_that_changes_its_mind_is_held_to_its_first_word(client):
    """Rebinding: public when it is checked, loopback a moment later."""

    async def run():
        dns = fake_dns(rebinding_example=[PUBLIC, "127.0.0.1"])
        fetcher = WebFetcher(client, resolve=dns, connect_seconds=0.3, timeout_seconds=1)
        clock = [0.0]
        fetcher._guard._now = lambda: clock[0]
        async with site(a=respond(b"secret")) as served:
            request = Request(url=served.url.replace("127.0.0.1", "rebinding.example") + "/a")
            for _ in range(3):
                with pytest.raises((ConnectionFailed, FetchTimeout)):
                    await fetcher.fetch(request, SimplePolicy())
            assert dns.asked == ["rebinding.example"]
            clock[0] += 3_600
            with pytest.raises(Refused, match=r"is at 127\.0\.0\.1"):
                await fetcher.fetch(request, SimplePolicy())
            await fetcher.close()
            return served

    assert asyncio.run(run()).asked == []


def test_a_name_that_moves_is_followed_when_its_time_is_over(client):
    async def run():
        dns = fake_dns(moving_example=["127.0.0.2", "127.0.0.1"])
        fetcher = WebFetcher(client, resolve=dns)
        clock = [0.0]
        fetcher._guard._now = lambda: clock[0]
        async with site(a=respond(b"moved")) as served:
            request = Request(url=served.url.replace("127.0.0.1", "moving.example") + "/a")
            with pytest.raises(ConnectionFailed):
                await fetcher.fetch(request)
            clock[0] += 3_600
            page = await fetcher.fetch(request)
            await fetcher.close()
            return page.content

    assert asyncio.run(run()) == b"moved"


def test_a_name_that_moves_takes_no_connection_with_it(client):
    """Rebinding: who may reach loopback leaves a connection that the next one must not find."""

    async def run():
        dns = fake_dns(rebinding_example=["127.0.0.1", PUBLIC])
        fetcher = WebFetcher(client, resolve=dns, connect_seconds=0.05)
        clock = [0.0]
        fetcher._guard._now = lambda: clock[0]
        async with site(a=respond(b"secret")) as served:
            request = Request(url=served.url.replace("127.0.0.1", "rebinding.example") + "/a")
            await fetcher.fetch(request, RecordingPolicy("rebinding.example"))
            clock[0] += 3_600
            with pytest.raises((ConnectionFailed, FetchTimeout)):
                await fetcher.fetch(request, SimplePolicy())
            await fetcher.close()
            return served

    assert len(asyncio.run(run()).asked) == 1


def test_many_who_ask_for_a_name_at_once_share_one_lookup():
    async def run():
        dns = fake_dns(a_example=[PUBLIC])

        async def slow(name):
            await asyncio.sleep(0.02)
            return await dns(name)

        guard = Guard(slow)
        looks = [asyncio.create_task(guard.resolve("http://a.example/", DIRECT)) for _ in range(10)]
        await asyncio.sleep(0)
        looks[0].cancel()
        found = await asyncio.gather(*looks, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        assert all(checked.private == "" for _, checked in found[1:])
        return dns.asked

    assert asyncio.run(run()) == ["a.example"]


def test_places_seen_before_cost_next_to_nothing():
    async def run():
        guard = Guard(fake_dns(a_example=[PUBLIC]))
        await guard.resolve("http://a.example/", DIRECT)
        began = time.process_time()
        for number in range(10_000):
            assert guard.known(f"http://a.example/{number}", DIRECT) is not None
        return time.process_time() - began

    assert asyncio.run(run()) < 1.0


@pytest.mark.slow
def test_no_more_places_are_remembered_than_fit():
    async def everywhere(_):
        return [ip_address(PUBLIC)]

    async def run():
        guard = Guard(everywhere)
        for number in range(10_000):
            await guard.resolve(f"http://h{number}.example/", DIRECT)
        return guard

    guard = asyncio.run(run())
    assert len(guard._direct) <= 4096
    assert guard.known("http://h9999.example/x", DIRECT) is not None


def test_a_url_with_a_password_is_not_remembered():
    async def run():
        guard = Guard(fake_dns(a_example=[PUBLIC]))
        await guard.resolve("http://me:secret@a.example/", DIRECT)
        return guard

    assert "secret" not in str(vars(asyncio.run(run())))


def test_the_names_of_the_system_are_known():
    async def run():
        guard = Guard()
        try:
            return await guard.resolve("http://localhost/", DIRECT)
        finally:
            guard.close()

    _, checked = asyncio.run(run())
    assert checked.private in {"127.0.0.1", "::1"}
