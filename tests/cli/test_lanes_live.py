"""`swather lanes` while workers are at work: all of them go by a change within a second."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from swather.testing import Asked, FakeSite
from tests.cli.conftest import Swather
from tests.forked import Forked

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SCRAPER = """
from swather import scraper

@scraper(in_flight=None)
async def pages(ctx, url):
    await ctx.get(url)
"""
ROBOTS = "User-agent: *\nDisallow: /secret\nCrawl-delay: 0.5\n"


class Recorder(FakeSite):
    """Answers everything, and remembers when it was asked for a page."""

    def __init__(self, robots: str = "") -> None:
        self.asked: list[tuple[float, str]] = []
        super().__init__({"/robots.txt": robots})
        self.routes |= {f"/{name}": self._page for name in [*range(400), "secret/1"]}

    def _page(self, asked: Asked) -> str:
        self.asked.append((time.monotonic(), asked.path))
        return "here"

    def since(self, start: float) -> int:
        return sum(at >= start for at, _ in self.asked)


@contextmanager
def at_work(site: Recorder, database: str, count: int, *more: str) -> Iterator[None]:
    """Three workers on a site, until the block ends."""
    Path("pages.py").write_text(SCRAPER)
    Path("urls.txt").write_text("".join(f"{site.url}/{number}\n" for number in range(count)))
    words = ["run", "pages.py", *more, "--targets", "urls.txt", "--workers", "3", "--db", database]
    running = Forked(words, cwd=Path.cwd(), env=os.environ)
    try:
        wait_until(lambda: len(site.asked) >= 5)
        yield
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(timeout=30)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def wait_until(holds, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_rate_a_pause_and_their_end_reach_all_workers(swather: Swather, database: str):
    def lanes(*words: str) -> float:
        assert swather("lanes", *words, "--db", database).code == 0
        return time.monotonic()

    with Recorder() as site:
        lanes("set", site.url, "--rate", "20/s")
        with at_work(site, database, 400):
            paused_at = lanes("pause", site.url)
            time.sleep(2.5)
            assert site.since(paused_at + 1.0) == 0
            slowed_at = lanes("set", site.url, "--rate", "4/s")
            lanes("unpause", site.url)
            wait_until(lambda: site.since(slowed_at) >= 4)
            time.sleep(2.0)
            taken = time.monotonic() - slowed_at
            assert site.since(slowed_at) <= 4 * taken + 2


def test_an_override_speeds_up_workers_that_are_at_work(swather: Swather, database: str):
    with Recorder() as site, at_work(site, database, 400, "--rate", "2/s"):
        words = ("set", site.url, "--rate", "40/s", "--override", "--db", database)
        said = swather("lanes", *words)
        assert (said.code, "asks for 2/s; lane " in said.err) == (0, True)
        start = time.monotonic()
        # At 2/s it would take half a minute.
        wait_until(lambda: site.since(start) >= 60, seconds=10.0)
        taken = time.monotonic() - start
        assert site.since(start) <= 40 * taken + 2


def test_a_crawl_delay_holds_over_all_workers_and_no_secret_is_asked_for(database: str):
    with Recorder(ROBOTS) as site:
        secret = f"{site.url}/secret/1"
        with at_work(site, database, 30, secret):
            wait_until(lambda: len(site.asked) >= 9)
        first, ninth = site.asked[0][0], site.asked[8][0]
        assert ninth - first > 3.2, [round(at - first, 2) for at, _ in site.asked]
        assert not [path for _, path in site.asked if path.startswith("/secret")]
        assert site.requests["/robots.txt"] <= 3
