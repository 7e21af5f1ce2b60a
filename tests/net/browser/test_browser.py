"""Pages in a real Chromium."""

import asyncio
import time

import pytest

from swather.net.browser import Browser, Visit
from swather.net.egress_policy import BrowserPolicy
from swather.net.fetch_policy import SimplePolicy
from tests.net.site import respond, site

pytestmark = pytest.mark.slow

SCRIPTED = b"<p>raw</p><script>document.querySelector('p').textContent = 'scripted'</script>"


def test_a_page_is_returned_as_its_scripts_have_left_it():
    async def run():
        browser = Browser(BrowserPolicy())
        visit = Visit(
            new_policy=lambda _: SimplePolicy(allow_private=True),
            deadline=lambda: time.monotonic() + 50,
        )
        try:
            async with (
                site(page=respond(SCRIPTED, Content_Type="text/html")) as served,
                browser.visit(visit) as tab,
            ):
                return await tab.render(f"{served.url}/page")
        finally:
            await browser.close()

    page = asyncio.run(run())
    assert page.status == 200
    assert page.one("p").text() == "scripted"
