"""What tests of the dashboard begin with: an application over either database, a dashboard that is
really served, and a page of a real browser that has logged in.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from swather.net.browser import program as program_names
from swather.settings import Settings
from swather.store import Store
from swather.web.dashboard import Dashboard
from tests.api.conftest import (  # noqa: F401 - fixtures
    ADMIN,
    READER,
    client,
    sqlite,
    sqlite_client,
    store,
    tokens,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def settings_for(url: str, port: int = 0) -> Settings:
    return Settings(db=url, api_token=ADMIN, api_read_token=READER, api_port=port)


@pytest.fixture
def dashboard(sqlite: Store) -> Iterator[Dashboard]:  # noqa: F811
    """Served on a port of its own, over the store `sqlite`."""
    with Dashboard(settings_for(sqlite.url)) as made, made.serving():
        yield made


@pytest.fixture(scope="session")
def browser_address(chromium: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a browser that all tests of a process use."""
    folder = tmp_path_factory.mktemp("browser")
    program = next(filter(None, map(shutil.which, (*program_names.SHELLS, *program_names.NAMES))))
    process = subprocess.Popen(
        [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # The program may be a script that starts the browser: they end together.
        start_new_session=True,
    )
    said = folder / "DevToolsActivePort"
    while not (said.exists() and said.read_text().count("\n")):
        assert process.poll() is None, "the browser did not start"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{said.read_text().split()[0]}"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def browser(browser_address: str) -> Iterator["Browser"]:
    """While it is there, nothing else can run a loop on this thread: what needs one comes before
    it among the arguments of a test.
    """
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where it is used

    with sync_playwright() as playwright:
        yield playwright.chromium.connect_over_cdp(browser_address)


@pytest.fixture
def page(browser: "Browser", dashboard: Dashboard) -> Iterator["Page"]:
    """Logged in by the printed link. An error of a script, and a request to another host, fail the
    test.
    """
    context = browser.new_context(base_url=dashboard.address)
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda request: _note_foreign(request.url, dashboard.address, wrong))
    opened.goto(dashboard.link)
    yield opened
    context.close()
    assert wrong == []


def _note_foreign(url: str, address: str, wrong: list[str]) -> None:
    if not url.startswith((f"{address}/", "data:", "blob:")):
        wrong.append(f"a request to {url}")
