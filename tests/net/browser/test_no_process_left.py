"""No process and no folder of a browser outlives us, however we end."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swather.net.browser import Browser
from swather.net.egress_policy import BrowserPolicy
from tests.debian import need_chromium
from tests.net.browser.visiting import html, visit
from tests.net.site import site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SCRIPT = """
import asyncio, sys
from swather.net.browser import Browser
from swather.net.egress_policy import BrowserPolicy
from tests.net.browser.visiting import visit

async def main():
    browser = Browser(BrowserPolicy())
    async with browser.visit(visit()) as tab:
        processes = browser._chromium._processes
        print(processes.folder, processes._number("chromium"), processes._number("driver"),
              flush=True)
        if sys.argv[1] == "hang":
            await tab.evaluate("while (true) {}")
        await asyncio.sleep(600)

asyncio.run(main())
"""
SECONDS = 90


def alive(*numbers):
    """Of these processes, and of the groups that they lead."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX" and {int(entry.name), int(fields[2])} & set(numbers):
            found.append(entry.name)
    return found


def wait_until_gone(folder, *numbers):
    until = time.monotonic() + SECONDS
    while (left := alive(*numbers)) or folder.exists():
        assert time.monotonic() < until, (left, folder.exists())
        time.sleep(0.05)


def started(what):
    need_chromium()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, what],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    folder, chromium, driver = process.stdout.readline().split()
    assert alive(int(chromium), int(driver))
    return process, Path(folder), int(chromium), int(driver)


@pytest.mark.parametrize(
    ("what", "number"),
    [("hang", signal.SIGKILL), ("sleep", signal.SIGTERM)],
)
def test_a_killed_process_leaves_no_browser(what, number):
    process, folder, *numbers = started(what)
    process.send_signal(number)
    process.wait()
    process.stdout.close()
    wait_until_gone(folder, *numbers)


def test_frozen_processes_of_a_killed_group_are_ended_too():
    process, folder, chromium, driver = started("sleep")
    os.killpg(chromium, signal.SIGSTOP)
    os.kill(driver, signal.SIGSTOP)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    wait_until_gone(folder, chromium, driver)


def test_nothing_is_left_after_a_browser_is_closed_whatever_its_visits_came_to():
    need_chromium()

    async def use(browser, served, how):
        async with browser.visit(visit()) as tab:
            await tab.goto(f"{served.url}/page")
            if how == "raise":
                raise LookupError
            asyncio.current_task().cancel()
            await tab.wait_for_selector("#never")

    async def scene():
        browser = Browser(BrowserPolicy())
        async with site(page=html("a")) as served:
            for how, kind in (("raise", LookupError), ("cancel", asyncio.CancelledError)):
                (ended,) = await asyncio.gather(use(browser, served, how), return_exceptions=True)
                assert isinstance(ended, kind)
        processes = browser._chromium._processes
        known = processes.folder, processes._number("chromium"), processes._number("driver")
        assert alive(*known[1:])
        await browser.close()
        return known

    folder, *numbers = asyncio.run(scene())
    assert (alive(*numbers), folder.exists()) == ([], False)
