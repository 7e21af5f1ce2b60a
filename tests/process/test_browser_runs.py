"""Runs with a real browser, as people start them: what they come to, and that nothing is left."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.testing import Answer, Asked, FakeSite
from tests.worker.given import wait_until

SWATHER = Path(sys.executable).with_name("swather")
SCRAPERS = """
from swather import scraper


@scraper(browser=True, timeout=8, retries=0)
async def pages(ctx, url):
    page = await ctx.render(url, wait_for=".done", timeout=6)
    return {"said": page.one(".done").text(), "url": url}


@scraper(browser=True, isolation="process", retries=0)
async def isolated(ctx, url):
    page = await ctx.render(url, wait_for=".done")
    return {"said": page.one(".done").text(), "url": url}
"""
SCRIPTED = """<p></p><script>
document.body.innerHTML += '<p class="done">scripted</p>'</script>"""
HANGING = "<p>one</p><script>while (true) {}</script>"
# Whatever a page can ask with; it says how many have got through.
CURIOUS = """<p></p><iframe src="%(secret)s/frame"></iframe><img src="%(secret)s/picture">
<script>
let got = 0;
const asked = [
  fetch("%(secret)s/fetch", {mode: "no-cors"}).then(() => got++),
  new Promise((resolve, reject) => {
    const socket = new WebSocket("%(secret)s/socket".replace("http", "ws"));
    socket.onopen = () => { got++; resolve() };
    socket.onerror = reject;
  }),
  fetch("/leads-there", {mode: "no-cors"}).then(() => got++),
  navigator.serviceWorker ? navigator.serviceWorker.register("/worker.js") : Promise.reject(),
];
Promise.allSettled(asked).then(() => {
  document.body.innerHTML += `<p class="done">${got} got through</p>`;
});
</script>"""
PATIENCE_SECONDS = 120.0

pytestmark = [pytest.mark.timeout(300), pytest.mark.usefixtures("chromium")]


@pytest.fixture
def secret() -> Iterator[FakeSite]:
    with FakeSite({"/": "for nobody"}) as opened:
        yield opened


@pytest.fixture
def site(secret: FakeSite) -> Iterator[FakeSite]:
    worker = f"self.oninstall = () => fetch('{secret.url}/worker')"
    routes = {
        "/scripted": SCRIPTED,
        "/hanging": HANGING,
        "/curious": CURIOUS % {"secret": secret.url},
        "/leads-there": Answer("", 302, {"Location": f"{secret.url}/redirected"}),
        "/worker.js": Answer(worker, headers={"Content-Type": "text/javascript"}),
    }
    with FakeSite(routes) as opened:
        yield opened


class Place:
    """A folder to run commands in. What they start is known by a variable of its environment."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self._mark = f"SWATHER_TEST_PLACE={folder}"
        (folder / "pages.py").write_text(SCRAPERS)
        self._environment = {
            **os.environ,
            "SWATHER_DB": url,
            "SWATHER_TEST_PLACE": str(folder),
            # Longer than the path of a socket may be, which Chromium makes in its folder.
            "TMPDIR": str(folder),
            "SWATHER_GRACE_SECONDS": "0.2",
        }

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [SWATHER, *arguments],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str) -> str:
        process = self.start(*arguments)
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
        return said

    def processes(self) -> list[str]:
        """Those of browsers that were started here."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (path / "environ").read_bytes():
                    found.append((path / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:
                continue
        return [line for line in found if "chrom" in line]

    def is_empty(self) -> bool:
        return not self.processes()

    def items(self) -> list[dict]:
        lines = (self.folder / "pages.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def place(sqlite_url: str, tmp_path: Path) -> Place:
    return Place(tmp_path, sqlite_url)


@pytest.fixture
def either_place(either_url: str, tmp_path: Path) -> Place:
    return Place(tmp_path, either_url)


def test_a_run_renders_cuts_what_hangs_and_reaches_no_private_address(
    either_place: Place, site: FakeSite, secret: FakeSite
):
    paths = ["/scripted", "/hanging", "/curious", "/scripted?again"]
    urls = [site.url + path for path in paths]
    said = either_place.run("run", "pages.py:pages", *urls, "--concurrency", "1")
    assert "4 tasks: 3 completed, 1 failed." in said, said
    assert "1 failed (timeout)" in said
    assert {item["url"].removeprefix(site.url): item["said"] for item in either_place.items()} == {
        "/scripted": "scripted",
        "/curious": "0 got through",
        "/scripted?again": "scripted",
    }
    assert site.requests["/leads-there"] == 1
    assert not secret.requests
    wait_until(either_place.is_empty)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("scraper", ["pages", "isolated"])
def test_no_browser_is_left_when_its_worker_ends(place: Place, scraper: str, number: int):
    asked = threading.Event()

    def silent(_: Asked) -> Answer:
        asked.set()
        return Answer("", seconds=600)

    with FakeSite({"/silent": silent}) as site:
        place.run("enqueue", f"pages.py:{scraper}", f"{site.url}/silent")
        worker = place.start("worker", f"pages.py:{scraper}")
        assert asked.wait(PATIENCE_SECONDS), place.processes()
        assert place.processes()
        worker.send_signal(number)
        worker.communicate(timeout=PATIENCE_SECONDS)
        wait_until(place.is_empty)
