"""Crawls a site: a page is saved, and its links become targets of the same run."""

import asyncio
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from swather.builtin.pages.address import address_of, beside, page_key, site_of
from swather.builtin.pages.params import Params
from swather.builtin.pages.reading import Reading, read
from swather.errors import InputError, Permanent
from swather.net.page import Page
from swather.net.sitemap import sitemap_of, sitemaps_named_in
from swather.scraping.context import Context
from swather.scraping.scraper import scraper

# Pages with more of either are read in a thread: the event loop has others to serve.
_MAX_READ_HERE_BYTES: Final = 64 << 10
_MAX_READ_HERE_TAGS: Final = 1_000
_MISSING: Final = frozenset({404, 410})


class Found(msgspec.Struct, frozen=True):
    """A page that was found `depth` links from a start URL."""

    url: str
    depth: int = 0


class Robots(msgspec.Struct, frozen=True, tag_field="kind", tag="robots"):
    """A robots.txt, read for the sitemaps it names."""

    url: str


class Map(msgspec.Struct, frozen=True, tag_field="kind", tag="sitemap"):
    """A sitemap of `site`; a `guessed` one may be missing, one `in_index` is not an index."""

    url: str
    site: str
    guessed: bool = False
    in_index: bool = False


@scraper(params=Params, version="1")
async def pages(ctx: Context, target: Any) -> None:
    """Crawls a site: saves pages as Markdown or HTML, and follows their links.

    A target is the URL to start from. Each page is an item; its links become targets of the run,
    as far as the parameters let them.
    """
    match _wanted(ctx, target):
        case Found() as found:
            await _crawl(ctx, found)
        case Robots(url):
            await _read_robots(ctx, url)
        case Map() as sitemap:
            await _read_sitemap(ctx, sitemap)


def _wanted(ctx: Context, target: Any) -> Found | Robots | Map:
    if not isinstance(target, dict):
        return Found(ctx.url)
    kind: Any = Robots | Map if "kind" in target else Found
    try:
        wanted: Found | Robots | Map = msgspec.convert({**target, "url": ctx.url}, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"the target {target!r} cannot be used: {error}") from error
    return wanted


async def _crawl(ctx: Context, found: Found) -> None:
    params: Params = ctx.params
    page = await ctx.get(found.url)
    key = page_key(page.url)
    is_start = ctx.task.parent_id is None
    was_redirected = key != page_key(found.url)
    if was_redirected and not (is_start or _may_follow(params, page.url, site_of(found.url))):
        ctx.log.info("%s redirects to %s, which is not followed", found.url, page.url)
        return
    if is_start and params.sitemap:
        robots = Robots(beside(page.url, "/robots.txt"))
        ctx.add(msgspec.to_builtins(robots), key=f"robots {robots.url}")
    reading = await _read(page, params)
    if reading.may_save:
        ctx.emit(_item(page, reading, params, found.depth), key=key)
    if reading.may_follow and (params.max_depth is None or found.depth < params.max_depth):
        followed = (link.url for link in reading.links if link.may_follow)
        _follow(ctx, followed, site_of(page.url), found.depth + 1)


async def _read(page: Page, params: Params) -> Reading:
    content = page.content
    if len(content) <= _MAX_READ_HERE_BYTES and content.count(b"<") <= _MAX_READ_HERE_TAGS:
        return read(page, params.save)
    return await asyncio.to_thread(read, page, params.save)


def _item(page: Page, reading: Reading, params: Params, depth: int) -> dict[str, Any]:
    item = {
        "url": page.url,
        "status": page.status,
        "title": reading.title,
        "depth": depth,
        "content_type": page.headers.get("content-type", ""),
        "size_bytes": len(page.content),
        "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if params.save != "none":
        item[params.save] = reading.text
    item["links"] = [link.url for link in reading.links]
    return item


def _follow(ctx: Context, urls: Iterable[str], site: str, depth: int) -> None:
    """Add those that may be followed from a page of `site`, each once however it is spelled."""
    added = set()
    for url in urls:
        key = page_key(url)
        if key not in added and _may_follow(ctx.params, url, site):
            added.add(key)
            ctx.add(msgspec.to_builtins(Found(url, depth)), key=key)


def _may_follow(params: Params, url: str, site: str) -> bool:
    if params.same_host and site_of(url) != site:
        return False
    if any(re.search(pattern, url) for pattern in params.exclude):
        return False
    return not params.include or any(re.search(pattern, url) for pattern in params.include)


async def _read_robots(ctx: Context, url: str) -> None:
    page = await ctx.get(url, check=False)
    if page.status >= 500:
        page.raise_for_status()
    named = sitemaps_named_in(page) if page.is_ok else []
    guess = beside(url, "/sitemap.xml")
    for sitemap in _readable(ctx, url, named, site_of(url)):
        _add_sitemap(ctx, Map(sitemap, site_of(url)))
    if guess not in named:
        _add_sitemap(ctx, Map(guess, site_of(url), guessed=True))


async def _read_sitemap(ctx: Context, sitemap: Map) -> None:
    page = await ctx.get(sitemap.url, check=False)
    if sitemap.guessed and page.status in _MISSING:
        ctx.log.info("there is no sitemap %s", sitemap.url)
        return
    page.raise_for_status()
    listed = await asyncio.to_thread(sitemap_of, page)
    if listed.sitemaps and sitemap.in_index:
        # The protocol has no such thing, and a site that makes them up as we go has no end.
        raise Permanent(
            f"{sitemap.url} is a sitemap index inside another index, which is not read; "
            "pass the pages of its sitemaps as targets instead",
            reason="nested_sitemap",
        )
    for url in _readable(ctx, sitemap.url, listed.sitemaps, sitemap.site):
        _add_sitemap(ctx, Map(url, sitemap.site, in_index=True))
    _follow(ctx, filter(None, map(address_of, listed.pages)), sitemap.site, 0)


def _readable(ctx: Context, named_in: str, sitemaps: list[str], site: str) -> list[str]:
    """Those that the parameters let us read; skipped ones are logged."""
    params: Params = ctx.params
    foreign = [url for url in sitemaps if params.same_host and site_of(url) != site]
    if foreign:
        count = "1 sitemap" if len(foreign) == 1 else f"{len(foreign):,} sitemaps"
        others = "" if len(foreign) == 1 else " among them"
        ctx.log.warning(
            "%s lists %s on another host, %s%s: skipped; pass --no-same-host to read them, and "
            "--include to follow only the pages you want",
            named_in, count, foreign[0], others,
        )  # fmt: skip
    known = set(foreign)
    ours = [url for url in sitemaps if url not in known]
    if len(ours) > params.max_sitemaps:
        left_out = len(ours) - params.max_sitemaps
        ctx.log.warning(
            "%s lists %s sitemaps; %s of them were skipped (--max-sitemaps %s)",
            named_in, f"{len(ours):,}", f"{left_out:,}", params.max_sitemaps,
        )  # fmt: skip
    return ours[: params.max_sitemaps]


def _add_sitemap(ctx: Context, sitemap: Map) -> None:
    ctx.add(msgspec.to_builtins(sitemap), key=f"sitemap {sitemap.url}")
