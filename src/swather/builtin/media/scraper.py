"""Asks many sources for pictures and videos at once, and keeps what is complete and checked."""

import os
from typing import Any

from swather import settings
from swather.builtin.media.job import Job
from swather.builtin.media.log import DownloadLog
from swather.builtin.media.memory import Claims
from swather.builtin.media.params import Params
from swather.builtin.media.pictures import pillow
from swather.builtin.media.query import query_of
from swather.scraping.context import Context
from swather.scraping.scraper import scraper

# Shared by the jobs of this process.
_LOG = DownloadLog()
_CLAIMS = Claims()


@scraper(params=Params, robots=False, timeout=7_200.0, version="1")
async def media(ctx: Context, target: Any) -> None:
    """Downloads pictures and videos for a query, from many sources at once.

    A target is a query, or the URL of a picture or video. Each file is an item, and so is the
    result of the whole job.
    """
    pillow()
    query = query_of(target, ctx.params)
    environment = {name: found.value for name, found in settings.variables().items()}
    await Job(ctx, query, {**environment, **os.environ}, _LOG, _CLAIMS).run()
