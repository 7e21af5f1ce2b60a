"""Runs a scraper on one target in this process."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from swather import posix
from swather.errors import InputError
from swather.model.lease import Lease
from swather.model.payload import decode, encode
from swather.model.retry import Faults
from swather.model.source import SourceNote
from swather.model.task import Target
from swather.net.egress import DIRECT, Egress, WayOut
from swather.net.fetch_policy import ANYWHERE, FetchPolicy
from swather.net.fetcher import Fetcher
from swather.net.tor.circuits import new_circuit
from swather.scraping import forked
from swather.scraping import params as parameters
from swather.scraping.blocking import SyncContext
from swather.scraping.context import Context, RunInfo
from swather.scraping.instance import set_up, set_up_blocking
from swather.scraping.invoke import invoke, invoke_blocking
from swather.scraping.scraper import Scraper
from swather.scraping.targets import target_of
from swather.testing import fixture as fixtures
from swather.testing.browser import RealBrowser
from swather.testing.fixture_pages import FixtureFetcher
from swather.testing.pages import PageFetcher, Pages
from swather.testing.verbs import MemoryVerbs

T = TypeVar("T")

# How a Tor daemon is given, with nothing but its host and port after it.
_SOCKS: Final = "socks5h://"
_RUN: Final = RunInfo(id=1, name="test")


@dataclass(frozen=True, kw_only=True)
class Scraped:
    """What a scraper produced from a target.

    items      what it yielded, returned or emitted, as the JSON that would be stored
    targets    what it followed or added, as plain values
    children   the same with keys, lanes and priorities
    files      what it saved: content by name
    remembered what it remembered, by key
    sources    what it noted of sources, and which it skipped
    cursors    of its checkpoints
    progress   the progress it reported
    skipped    how many targets it skipped
    rejected   how many rows it rejected, by reason
    """

    items: list[Any]
    children: list[Target]
    files: dict[str, bytes]
    remembered: dict[str, Any]
    sources: list[SourceNote]
    cursors: list[Any]
    progress: list[Any]
    skipped: int = 0
    rejected: dict[str, int] = field(default_factory=dict)

    @property
    def targets(self) -> list[Any]:
        return [child.value for child in self.children]


def run_scraper(
    scraper: Scraper,
    target: Any,
    *,
    params: Mapping[str, Any] | None = None,
    pages: Pages | None = None,
    fixture: Path | str | None = None,
    fetcher: Fetcher | None = None,
    policy: FetchPolicy = ANYWHERE,
    cursor: Any = None,
    attempt: int = 1,
    remembered: Mapping[str, Any] | None = None,
    open_sources: Collection[str] = (),
    browser: RealBrowser | bool = False,
    proxy: str | None = None,
) -> Scraped:
    """Run a scraper on a target and return what it produced; its exceptions are raised here.

    `pages` maps the URLs it may ask for to HTML, bytes, a Page or an exception; no request leaves
    the process. `fixture` names a file of them that `swather try --save-fixture` has written.
    A `fetcher` of your own goes where its `policy` allows, anywhere by default.
    `cursor` and `attempt` are what a later attempt would find, `remembered` what `ctx.recall` would
    find of earlier runs, and `open_sources` those that `ctx.ask_source` tells it to skip. It works
    in any test, async ones too, and needs no database.

    `ctx.render` returns what `pages` or the `fixture` has, as scripts would have left it. With
    `browser=True` it is rendered by Chromium, from wherever `policy` allows, and `ctx.browser`
    works, too.

    With a `fetcher` or a browser, a scraper that uses proxies or Tor needs a `proxy`: the URL of
    the one that its requests go through.
    """
    egress = _egress(scraper, proxy, is_real=fetcher is not None or bool(browser))
    encode(target, what="target")
    source = _fetcher(pages, fixture, fetcher)
    placed = target_of(scraper, target)
    lease = Lease(
        task_id=1,
        token=1,
        run_id=_RUN.id,
        target=target,
        priority=placed.priority,
        lane=placed.lane,
        partition=placed.partition,
        parent_id=None,
        faults=Faults(attempts=attempt - 1),
        cursor=cursor,
    )
    made = parameters.typed_params(scraper, params or {})
    encode(remembered, what="remembered")

    def execute() -> Scraped:
        process_id = posix.process_id
        try:
            verbs = MemoryVerbs(
                source,
                policy,
                scraper.options.own_headers,
                remembered,
                open_sources,
                (browser if isinstance(browser, RealBrowser) else RealBrowser())
                if browser
                else None,
                scraper.options.timeout,
                egress,
            )
            scraped = _execute(scraper, lease, made, verbs)
        except BaseException as error:
            if process_id != posix.process_id:
                forked.exit_fork(error)
            raise
        if process_id != posix.process_id:
            forked.exit_fork(None)
        return scraped

    return _outside_of_any_loop(execute)


def _egress(scraper: Scraper, proxy: str | None, *, is_real: bool) -> Egress:
    """A scraper that asks for an egress never goes out directly, also not in a test."""
    way_out = scraper.options.way_out
    if proxy is not None and way_out is WayOut.TOR and _is_tor(proxy):
        return new_circuit(proxy.removeprefix(_SOCKS))
    if proxy is not None:
        return Egress.through(proxy)
    if is_real and way_out is not WayOut.DIRECT:
        what = "Tor" if way_out is WayOut.TOR else "proxies"
        raise InputError(
            f"scraper {scraper.name!r} uses {what}, and a request must not go out directly: pass "
            "proxy='http://…'"
        )
    return DIRECT


def _is_tor(proxy: str) -> bool:
    return proxy.startswith(_SOCKS) and "@" not in proxy


def _fetcher(pages: Pages | None, fixture: Path | str | None, fetcher: Fetcher | None) -> Fetcher:
    if sum(given is not None for given in (pages, fixture, fetcher)) > 1:
        raise InputError("pass only one of pages, fixture and fetcher")
    if fixture is not None:
        return FixtureFetcher(fixtures.read(fixture), str(fixture))
    return fetcher or PageFetcher(pages or {})


def _execute(scraper: Scraper, lease: Lease, params: Any, verbs: MemoryVerbs) -> Scraped:
    context = Context(scraper=scraper, lease=lease, run=_RUN, params=params, verbs=verbs)
    with asyncio.Runner() as runner:
        try:
            if scraper.is_async:
                runner.run(_scrape(scraper, context))
            else:
                instance = set_up_blocking(scraper, context, runner.run, run_setup=runner.run)
                try:
                    invoke_blocking(instance, SyncContext(context, runner.run))
                finally:
                    instance.rest()
                    instance.close_blocking(runner.run)
        finally:
            runner.run(verbs.close())
    verbs.keep(context.collected())
    return Scraped(
        items=[decode(item.data) for item in verbs.items],
        children=verbs.children,
        files={file.name: verbs.contents[file.sha256] for file in verbs.files},
        remembered=verbs.remembered,
        sources=verbs.notes.sources,
        cursors=verbs.cursors,
        progress=verbs.progress_reports,
        skipped=verbs.notes.skipped,
        rejected=verbs.rejected,
    )


async def _scrape(scraper: Scraper, context: Context) -> None:
    instance = await set_up(scraper, context)
    try:
        await invoke(instance, context)
    finally:
        instance.rest()
        await instance.close()


def _is_in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _outside_of_any_loop(call: Callable[[], T]) -> T:
    """Call in this thread, or, where an event loop is running, in another one."""
    if not _is_in_a_loop():
        return call()
    results: list[T] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            results.append(context.run(call))
        except BaseException as error:  # noqa: BLE001 - it is raised where it was asked for
            errors.append(error)

    thread = threading.Thread(target=run, name="run_scraper")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
