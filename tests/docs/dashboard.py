"""Draws docs/images/dashboard-*.png from runs that really run: python -m tests.docs.dashboard."""

import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from swather.net.browser import program
from swather.settings import Settings
from swather.store import factory
from swather.web.dashboard import Dashboard
from tests.docs.blocks import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = ROOT / "docs" / "images"
SECONDS = 180.0
TARGETS = {"prices": 1_200, "reviews": 1_500, "listings": 24_000}
SCRAPERS = """
from swather import scraper


@scraper(timeout=10, retries=2, allow_private=True, in_flight=24, rate="200/s")
async def listings(ctx, url):
    page = await ctx.get(url)
    yield {"title": page.css_first("h1").text(), "price": page.css_first(".price").text()}


@scraper(timeout=10, allow_private=True, rate="2/s")
async def reviews(ctx, url):
    page = await ctx.get(url)
    yield {"title": page.css_first("h1").text()}


@scraper(timeout=10, allow_private=True, in_flight=16, rate="200/s")
async def prices(ctx, url):
    page = await ctx.get(url)
    yield {"price": page.css_first(".price").text()}
"""


class Shop(BaseHTTPRequestHandler):
    """Slow, missing or broken at times, as sites are."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        of_page, luck = random.Random(self.path).random(), random.random()
        time.sleep(min(random.lognormvariate(-2.3, 0.7), 2))
        status = 404 if of_page < 0.004 else 500 if luck < 0.02 else 200
        price = "" if 0.01 < of_page < 0.014 else '<p class="price">12.00</p>'
        body = f"<h1>Offer {self.path}</h1>{price}".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


@contextmanager
def running(folder: Path, url: str, port: int, name: str, host: str, *more: str) -> Iterator[None]:
    """A run of one of the scrapers."""
    words = ["run", f"shop.py:{name}", "--targets", f"{name}.txt", "--db", url, *more]
    targets = (f"http://{host}:{port}/{name}/{number}\n" for number in range(TARGETS[name]))
    (folder / f"{name}.txt").write_text("".join(targets))
    process = subprocess.Popen(
        [sys.executable, "-m", "swather.cli", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield
    process.terminate()
    process.wait()


def draw(browser: "Browser", dashboard: Dashboard, run: str) -> None:
    for scheme, address, name in (
        ("dark", "/", "overview"),
        ("light", f"/runs/{run}", "run"),
        ("dark", "/errors", "errors"),
    ):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(dashboard.link)
        page.goto(f"{dashboard.address}{address}")
        page.get_by_text("● live").wait_for()
        page.wait_for_timeout(1_500)
        page.screenshot(path=IMAGES / f"dashboard-{name}.png", full_page=name == "run")
        context.close()


def main() -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "shop.py").write_text(SCRAPERS)
        url = f"sqlite:///{folder / 'queue.db'}"
        factory.prepare(url)
        store = stack.enter_context(closing(factory.open(url)))
        port = stack.enter_context(served())
        dashboard = stack.enter_context(Dashboard(Settings(db=url, api_port=0)))
        stack.enter_context(dashboard.serving())
        stack.enter_context(running(folder, url, port, "prices", "127.0.0.1"))
        stack.enter_context(running(folder, url, port, "reviews", "localhost"))
        stack.enter_context(running(folder, url, port, "listings", "127.0.0.1", "--workers", "2"))
        time.sleep(SECONDS)
        run = next(each.name for each in store.runs.find() if each.scraper == "listings")
        playwright = stack.enter_context(sync_playwright())
        path = program.find()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        draw(browser, dashboard, run)
        browser.close()


if __name__ == "__main__":
    main()
