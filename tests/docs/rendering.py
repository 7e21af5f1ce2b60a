"""Draws docs/images/arrivals.png with a scraper: python -m tests.docs.rendering."""

from swather import scraper
from swather.testing import run_scraper, shop
from tests.docs.blocks import ROOT

PATH = ROOT / "docs" / "images" / "arrivals.png"


@scraper(browser=True)
async def arrivals(ctx, url):
    async with ctx.browser() as page:
        await page.set_viewport_size({"width": 640, "height": 400})
        await page.goto(url)
        await page.wait_for_selector("article")
        await ctx.save(await page.screenshot(), "arrivals.png")


if __name__ == "__main__":
    with shop() as site:
        PATH.write_bytes(
            run_scraper(arrivals, f"{site.url}/new/", browser=True).files["arrivals.png"]
        )
