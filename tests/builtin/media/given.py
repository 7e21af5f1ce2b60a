"""What the tests of media begin with: sources on loopback, and a job over them."""

from collections.abc import Iterable
from typing import Any

from swather.builtin.media.scraper import media
from swather.net.fetcher import WebFetcher
from swather.testing import Scraped, run_scraper
from tests.builtin.media.stand_ins import StandIn


def params_of(sites: Iterable[StandIn], **params: Any) -> dict[str, Any]:
    return {
        "sources": [site.source for site in sites],
        "source_url": {site.source: site.url for site in sites},
        **params,
    }


def asked(sites: Iterable[StandIn], target: Any = "cats", **fields: Any) -> Scraped:
    """A job over these sources; `fields` that run_scraper does not have are parameters."""
    own = {
        name: fields.pop(name)
        for name in ("cursor", "remembered", "open_sources")
        if name in fields
    }
    return run_scraper(
        media, target, params=params_of(list(sites), **fields), fetcher=WebFetcher(), **own
    )


def job(scraped: Scraped) -> dict[str, Any]:
    """The item of the whole job, which is the last."""
    *files, last = scraped.items
    assert last["type"] == "job"
    assert all(item["type"] == "file" for item in files)
    results: dict[str, Any] = last
    return results


def stats(downloaded: int = 0, *, videos: int = 0, error: str | None = None) -> dict[str, Any]:
    return {
        "downloaded": downloaded,
        "images": downloaded - videos,
        "videos": videos,
        "success": error is None,
        "error": error,
    }
