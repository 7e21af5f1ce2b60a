"""Visits of a real Chromium to sites on loopback."""

import asyncio
import time
from ipaddress import ip_address

from swather.net.browser import Browser, Visit
from swather.net.egress_policy import BrowserPolicy
from swather.net.fetch_policy import SimplePolicy
from swather.net.guard import Guard
from tests.net.site import respond

HTML = {"Content_Type": "text/html; charset=utf-8"}


def html(text, **headers):
    return respond(text.encode(), **HTML, **headers)


class Runs:
    """One loop and one browser for the tests of a module."""

    def __init__(self, **policy):
        self._runner = asyncio.Runner()
        self._policy = BrowserPolicy(**{"pages": 2, **policy})
        self.browser = None

    def __call__(self, scene, *args):
        async def run():
            async with asyncio.timeout(170):
                if self.browser is None:
                    self.browser = Browser(self._policy, guard=Guard(everywhere))
                return await scene(self.browser, *args)

        return self._runner.run(run())

    def close(self):
        if self.browser is not None:
            self._runner.run(self.browser.close())
        self._runner.close()


async def everywhere(name):
    """Every name is this machine's."""
    return [ip_address("127.0.0.1")]


def visit(policy=None, *, seconds=120.0, **fields):
    """To wherever the policy allows; anywhere without one."""
    until = time.monotonic() + seconds
    policy = policy or SimplePolicy(allow_private=True)
    return Visit(new_policy=lambda _: policy, deadline=lambda: until, **fields)
