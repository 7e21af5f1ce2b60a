"""The scraper that a site file is."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from swather.net.page import Page
from swather.scraping import target_lists
from swather.scraping.context import Context
from swather.scraping.scraper import Scraper
from swather.scraping.site.load_more import loaded_page
from swather.scraping.site.paging import Step
from swather.scraping.site.rows import REPEATED, Row, Rows
from swather.scraping.site.site import Site
from swather.scraping.site.template import Template

T = TypeVar("T")

# In a target: it is an item page that a list links to.
ITEM: Final = "item"
# Pages up to this size are read in a few milliseconds, on the event loop.
SMALL_BYTES: Final = 64 << 10
_OF_A_PAGE: Final = ("url", "page", "seen", ITEM)


# Is told of each page that was fetched, with its target.
Watch = Callable[[Page, Any], None]
# Makes the item of a row.
ItemOf = Callable[[Row], dict[str, Any]]


def _as_it_is(row: Row) -> dict[str, Any]:
    return row.item


def scraper_of(site: Site, *, watch: Watch | None = None) -> Scraper:
    """Called like the site; workers load it by its file."""

    async def scrape(ctx: Context, target: Any) -> None:
        page = await loaded_page(ctx, site, site.url_of(target))
        if watch is not None:
            watch(page, target)
        await scrape_page(site, ctx, target, page)

    scrape.__doc__ = site.description or f"The site file {site.name}."
    options = replace(
        site.options,
        key=site.key_of,
        lane=None if site.lane is None else _name_of(site.lane),
        partition=None if site.partition is None else _name_of(site.partition),
    )
    if site.targets is not None:
        chosen = target_lists.load(site.targets)
        options = replace(options, params=chosen.params, targets=chosen.targets)
    return Scraper(
        name=site.name,
        function=scrape,
        options=options,
        is_class=False,
        is_async=True,
        is_generator=False,
        loaded_from=site.file,
        site=site,
    )


def _name_of(template: Template) -> str | Callable[[Any], str]:
    return template.filled if template.fields else template.text


async def scrape_page(
    site: Site, ctx: Context, target: Any, page: Page, *, item_of: ItemOf = _as_it_is
) -> None:
    """Emit the items of a page, and add the pages that it leads to."""
    step = Step.of_target(target, site.url_of(target))
    is_item = is_item_page(target)
    if site.follow is not None and not is_item:
        await _follow(site, ctx, target, page, step)
        return
    rows = await _off_loop(page, lambda: site.items(page, target))
    for note in rows.notes:
        ctx.log.warning("%s", note)
    if site.is_list and not is_item:
        _go_on(site, ctx, target, page, step, rows, item_of)
        return
    _keep(ctx, rows, item_of)


def is_item_page(target: Any) -> bool:
    """Whether a list links to it."""
    return isinstance(target, dict) and target.get(ITEM) is True


async def _follow(site: Site, ctx: Context, target: Any, page: Page, step: Step) -> None:
    links = await _off_loop(page, lambda: site.links(page))
    if not links:
        _end(site, page, step)
        return
    page_id = "\n".join(sorted(links))
    if step.has_seen(page_id):
        _say_circle(ctx, step)
        return
    for link in links:
        ctx.add({**_own_fields(target), "url": link, ITEM: True})
    _add_next(site, ctx, target, page, step.with_seen(page_id))


def _go_on(
    site: Site,
    ctx: Context,
    target: Any,
    page: Page,
    step: Step,
    rows: Rows,
    item_of: ItemOf,
) -> None:
    if not rows.all:
        _end(site, page, step)
        return
    if step.has_seen(rows.page_id):
        _say_circle(ctx, step)
        ctx.reject(REPEATED, len(rows.all) + rows.cut)
        return
    _keep(ctx, rows, item_of)
    _add_next(site, ctx, target, page, step.with_seen(rows.page_id))


def _end(site: Site, page: Page, step: Step) -> None:
    """Of a page without rows or links: the end of a list, unless it is its beginning, too."""
    if step.number == 1 and (error := site.no_rows(page)) is not None:
        raise error


def _keep(ctx: Context, rows: Rows, item_of: ItemOf) -> None:
    for row in rows.accepted:
        ctx.emit(item_of(row), key=row.key)
    for reason, count in rows.rejections.items():
        ctx.reject(reason, count)


def _add_next(site: Site, ctx: Context, target: Any, page: Page, step: Step) -> None:
    following = site.next_page(page, step)
    if following is None:
        return
    if following.why:
        ctx.log.warning("the list ends at page %d: %s", step.number, following.why)
        return
    ctx.add(following.as_target(_own_fields(target)))


def _say_circle(ctx: Context, step: Step) -> None:
    # Many sites show the first page again after the last: nothing to warn of.
    ctx.log.info(
        "the list goes in circles: page %d has the rows of an earlier one; it ends here",
        step.number,
    )


def _own_fields(target: Any) -> dict[str, Any]:
    """What a person gave the target, such as its city."""
    if not isinstance(target, dict):
        return {}
    return {name: value for name, value in target.items() if name not in _OF_A_PAGE}


async def _off_loop(page: Page, read: Callable[[], T]) -> T:
    """Read a page, a long one or a PDF in a thread: other targets go on meanwhile."""
    if len(page.content) <= SMALL_BYTES and not page.is_pdf:
        return read()
    return await asyncio.to_thread(read)
