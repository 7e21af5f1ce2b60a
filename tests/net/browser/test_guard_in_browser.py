"""What a page wants of a private address, by whatever way, it does not get."""

import asyncio
import socket
from contextlib import contextmanager

import pytest

from swather.net.errors import Refused
from tests.debian import need_chromium, need_full_chromium
from tests.net.browser.visiting import Runs, html, visit
from tests.net.fetching import RecordingPolicy
from tests.net.site import respond, site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

WAYS = """<!doctype html><title>ways</title>
<link rel=prefetch href="PRIVATE/prefetch">
<link rel=preconnect href="PRIVATE">
<link rel=stylesheet href="PRIVATE/style">
<img src="PRIVATE/picture"><iframe src="PRIVATE/frame"></iframe>
<img src="/redirect"><form method=post action="PRIVATE/form" target=other><input name=a></form>
<script>
const tries = [
  fetch("PRIVATE/fetch", {mode: "no-cors"}),
  fetch("/redirect?fetch", {mode: "no-cors"}),
  new Promise(done => { const x = new XMLHttpRequest(); x.open("GET", "PRIVATE/xhr");
    x.onloadend = done; x.send() }),
  new Promise(done => { const w = new WebSocket("PRIVATE/socket".replace("http", "ws"));
    w.onclose = done; w.onopen = done }),
  new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob([
    'fetch("PRIVATE/worker", {mode: "no-cors"}).finally(() => postMessage(1))'])));
    w.onmessage = done }),
  navigator.serviceWorker ? navigator.serviceWorker.register("/service.js") : 0,
  new Promise(done => { const p = new RTCPeerConnection({iceServers: [{urls: "stun:STUN"}]});
    p.createDataChannel("a"); p.onicegatheringstatechange = () =>
      p.iceGatheringState == "complete" && done();
    p.createOffer().then(o => p.setLocalDescription(o)) }),
];
window.open("PRIVATE/opened");
navigator.sendBeacon("PRIVATE/beacon", "x");
document.forms[0].submit();
Promise.race([Promise.allSettled(tries), new Promise(done => setTimeout(done, 8000))])
  .then(() => document.title = "tried");
</script>"""
SERVICE = """
self.addEventListener("install", e => e.waitUntil(fetch("PRIVATE/service", {mode: "no-cors"})));
"""


@pytest.fixture(scope="module", params=["chromium-headless-shell", "chromium"])
def in_browser(request):
    """What keeps a page in must do so in either program."""
    need_chromium()
    runs = Runs(executable=need_full_chromium() if request.param == "chromium" else None)
    yield runs
    runs.close()


@contextmanager
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind(("127.0.0.1", 0))
        held.setblocking(False)
        yield held


def try_all(in_browser, policy):
    async def scene(browser):
        with udp() as stun:
            async with site() as private, site() as public:
                for name in (
                    "prefetch", "style", "picture", "frame", "form", "fetch", "xhr", "socket",
                    "worker", "opened", "beacon", "service", "redirected",
                ):  # fmt: skip
                    private.pages[f"/{name}"] = html("secret")
                place = f"127.0.0.1:{stun.getsockname()[1]}"
                page = WAYS.replace("PRIVATE", private.url).replace("STUN", place)
                public.pages |= {
                    "/page": html(page),
                    "/service.js": respond(
                        SERVICE.replace("PRIVATE", private.url).encode(),
                        Content_Type="text/javascript",
                    ),
                    "/redirect": respond(b"", "302 Found", Location=f"{private.url}/redirected"),
                }
                start = public.url.replace("127.0.0.1", "localhost")
                async with browser.visit(visit(policy)) as tab:
                    await tab.goto(f"{start}/page", wait_until="domcontentloaded")
                    await tab.wait_for_function("document.title == 'tried'")
                await asyncio.sleep(0)
                try:
                    datagram = stun.recv(100)
                except BlockingIOError:
                    datagram = b""
                return [asked.path for asked in private.asked], private.connections, datagram

    return in_browser(scene)


def test_a_page_gets_nothing_from_a_private_address(in_browser):
    paths, connections, datagram = try_all(in_browser, RecordingPolicy("localhost"))
    assert (paths, connections, datagram) == ([], 0, b"")


def test_where_that_is_allowed_it_gets_it_all(in_browser):
    """Without this the test above might show nothing."""
    paths, _, datagram = try_all(in_browser, None)
    assert {
        "/fetch", "/xhr", "/socket", "/worker", "/frame", "/picture", "/style", "/opened",
        "/redirected", "/prefetch",
    } <= set(paths)  # fmt: skip
    # A service worker is never started, and nothing leaves but by the proxy.
    assert "/service" not in paths
    assert datagram == b""


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f000001", "2130706433", "[::1]", "private.test"])
def test_a_private_page_is_refused_by_name(in_browser, host):
    async def scene(browser):
        async with site(page=html("secret")) as private:
            url = private.url.replace("127.0.0.1", host)
            async with browser.visit(visit(RecordingPolicy("localhost"))) as tab:
                with pytest.raises(Refused, match="is not on the public web"):
                    await tab.render(f"{url}/page")
            return private.connections

    assert in_browser(scene) == 0


def test_a_redirect_to_a_private_page_is_refused(in_browser):
    async def scene(browser):
        async with site(page=html("secret")) as private:
            redirect = respond(b"", "302 Found", Location=f"{private.url}/page")
            async with site(start=redirect) as public:
                start = public.url.replace("127.0.0.1", "localhost")
                async with browser.visit(visit(RecordingPolicy("localhost"))) as tab:
                    with pytest.raises(Refused, match="is not on the public web"):
                        await tab.render(f"{start}/start")
            return private.connections

    assert in_browser(scene) == 0
