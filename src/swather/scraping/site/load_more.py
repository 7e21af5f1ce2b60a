"""Fetches a page of a site: plainly, in a browser, or with a button pressed for more rows."""

from typing import TYPE_CHECKING, Final

from swather.net.errors import FetchTimeout
from swather.net.page import Page
from swather.scraping.context import Context
from swather.scraping.site.site import MAX_ROWS, Site
from swather.scraping.site.ways import Css

if TYPE_CHECKING:
    from swather.net.browser.tab import Tab

# How long a button that was pressed may take to show more rows.
MORE_SECONDS: Final = 10.0
_CAN_BE_PRESSED: Final = """selector => {
    const button = document.querySelector(selector);
    return button !== null && !button.disabled && button.getClientRects().length > 0;
}"""
_COUNT: Final = "selector => document.querySelectorAll(selector).length"
_MORE: Final = "([selector, n]) => document.querySelectorAll(selector).length > n"


async def loaded_page(ctx: Context, site: Site, url: str) -> Page:
    """The page, as its rows are to be read."""
    if site.paging.load_more is not None:
        return await _with_more(ctx, site, url, site.paging.load_more)
    return await (ctx.render(url) if site.options.browser else ctx.get(url))


async def _with_more(ctx: Context, site: Site, url: str, button: str) -> Page:
    async with ctx.browser() as tab:
        page = await tab.render(url)
        page.raise_for_status()
        if await _press(ctx, site, tab, button):
            page = await tab.read()
    return page


async def _press(ctx: Context, site: Site, tab: "Tab", button: str) -> int:
    """Press until there is no more; how often it was."""
    rows = _rows_of(site)
    for times in range(site.paging.max_pages - 1):
        if not await tab.evaluate(_CAN_BE_PRESSED, button):
            return times
        before = await tab.evaluate(_COUNT, rows)
        if before >= MAX_ROWS:
            return times
        try:
            await tab.click(f"css={button}", timeout=MORE_SECONDS * 1000)
            await tab.wait_for_function(_MORE, arg=[rows, before], timeout=MORE_SECONDS * 1000)
        except FetchTimeout as error:
            if not await tab.evaluate(_CAN_BE_PRESSED, button):
                # It went away with the last rows.
                return times + 1
            ctx.log.warning("%r shows no more rows after %d presses: %s", button, times, error)
            return times + 1
    if await tab.evaluate(_CAN_BE_PRESSED, button):
        ctx.log.warning(
            "%r was pressed %d times, and there may be more (pagination.max_pages)",
            button,
            site.paging.max_pages - 1,
        )
    return site.paging.max_pages - 1


def _rows_of(site: Site) -> str:
    """What is counted to see whether there are more."""
    for each in site.rows_at:
        if isinstance(each, Css) and each.is_for_browsers:
            return each.selector
    follow = site.follow
    return follow if follow is not None and Css(follow).is_for_browsers else "*"
