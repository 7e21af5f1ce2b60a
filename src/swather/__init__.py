"""Run one scraping function over ten or ten million targets; lose nothing.

    from swather import scraper

    @scraper(rate="5/s")
    async def books(ctx, url):
        page = await ctx.get(url)
        for book in page.css("article.product_pod h3 a"):
            yield {"title": book.attributes["title"]}

`swather run books.py URL…` runs it from the command line, `swather.run(books, urls)` from Python.
"""

from typing import TYPE_CHECKING, Any

from swather.version import __version__

__all__ = [
    "Backoff",
    "Blocked",
    "Client",
    "Context",
    "Download",
    "File",
    "InputError",
    "Later",
    "LeaseLost",
    "Page",
    "Permanent",
    "Proxies",
    "Queue",
    "Request",
    "Result",
    "RunResult",
    "Scraper",
    "SwatherError",
    "SyncContext",
    "SyncWeb",
    "Target",
    "Transient",
    "Web",
    "__version__",
    "add_rule",
    "open",
    "run",
    "scraper",
    "start",
    "stats",
]

if TYPE_CHECKING:
    from swather.api.client import Client
    from swather.errors import (
        Blocked,
        InputError,
        Later,
        LeaseLost,
        Permanent,
        SwatherError,
        Transient,
    )
    from swather.fleet.run import RunResult, run
    from swather.fleet.start import start
    from swather.model.outcome import File
    from swather.model.retry import Backoff
    from swather.model.task import Target
    from swather.net.download import Download
    from swather.net.page import Page
    from swather.net.request import Request
    from swather.runs.queue import Queue, open
    from swather.runs.stats import stats
    from swather.scraping.blocking import SyncContext, SyncWeb
    from swather.scraping.classify import add_rule
    from swather.scraping.context import Context
    from swather.scraping.invoke import Result
    from swather.scraping.proxies import Proxies
    from swather.scraping.scraper import Scraper, scraper
    from swather.scraping.web import Web

_HOME = {
    "Backoff": "swather.model.retry",
    "Blocked": "swather.errors",
    "Client": "swather.api.client",
    "Context": "swather.scraping.context",
    "Download": "swather.net.download",
    "File": "swather.model.outcome",
    "InputError": "swather.errors",
    "Later": "swather.errors",
    "LeaseLost": "swather.errors",
    "Page": "swather.net.page",
    "Permanent": "swather.errors",
    "Proxies": "swather.scraping.proxies",
    "Queue": "swather.runs.queue",
    "Request": "swather.net.request",
    "Result": "swather.scraping.invoke",
    "RunResult": "swather.fleet.run",
    "Scraper": "swather.scraping.scraper",
    "SwatherError": "swather.errors",
    "SyncContext": "swather.scraping.blocking",
    "SyncWeb": "swather.scraping.blocking",
    "Target": "swather.model.task",
    "Transient": "swather.errors",
    "Web": "swather.scraping.web",
    "add_rule": "swather.scraping.classify",
    "open": "swather.runs.queue",
    "run": "swather.fleet.run",
    "scraper": "swather.scraping.scraper",
    "start": "swather.fleet.start",
    "stats": "swather.runs.stats",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import swather` is quick."""
    if name not in _HOME:
        raise AttributeError(f"module 'swather' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
