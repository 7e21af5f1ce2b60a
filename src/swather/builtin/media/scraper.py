"""Asks many sources for pictures and videos at once, and keeps what is complete and checked."""

from importlib.util import find_spec
from typing import Any

from swather import settings_sources
from swather.builtin.media.job import Job
from swather.builtin.media.log import DownloadLog
from swather.builtin.media.memory import Claims
from swather.builtin.media.params import Params
from swather.builtin.media.query import key_of, query_of
from swather.errors import MissingExtra
from swather.scraping.context import Context
from swather.scraping.scraper import scraper

if find_spec("PIL") is None:
    raise MissingExtra("media decodes every picture with Pillow: pip install 'swather[media]'")

# Shared by the jobs of this process.
_LOG = DownloadLog()
_CLAIMS = Claims()


@scraper(
    params=Params,
    key=key_of,
    files_folder="downloads",
    # Sources are asked through their APIs, which have terms of their own.
    robots=False,
    # Each source has a deadline; this is for mistakes in the code of one.
    timeout=7_200.0,
    version="1",
)
async def media(ctx: Context, target: Any) -> None:
    """Downloads pictures and videos for a query, from many sources at once.

    A target is a query, or the URL of a picture or video. Each file is an item, and so is the
    result of the whole job.

    Sources: openverse, wikimedia_commons, internet_archive, bing_images; with a key in the
    environment unsplash, pexels, pixabay, flickr; if named google_images, yandex_images.
    """
    query = query_of(target, ctx.params)
    # Only sources have keys.
    known = {} if query.urls else settings_sources.variables()
    environment = {name: found.value for name, found in known.items()}
    await Job(ctx, query, environment, _LOG, _CLAIMS).run()
