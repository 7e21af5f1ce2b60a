"""`swather proxies test`: measures proxies in parallel against a page."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from swather.cli.amounts import seconds_of
from swather.cli.options import AsJSON, Database
from swather.cli.proxy_options import Country, Source, Tags, filter_of
from swather.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from swather.model.proxy import Proxy
    from swather.net.proxy_check import Measured
    from swather.settings import Settings
    from swather.store.ports import Store

EXAMPLES: Final = """\
swather proxies test https://example.com/
swather proxies test https://example.com/ --tag home --timeout 5s
swather proxies test https://example.com/ --disable-failed
swather proxies test
swather proxies test https://example.com/ --json | jq '.[] | select(.ok | not)'"""

_MAX_PAGE_BYTES: Final = 4 << 20


class Tested(NamedTuple):
    """A proxy and what was measured."""

    proxy: "Proxy"
    measured: "Measured"


def measure_proxies(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="URL",
            help="A page to fetch through each proxy. Default: only connect to the proxies.",
        ),
    ] = None,
    tags: Tags = None,
    country: Country = None,
    source: Source = None,
    timeout: Annotated[
        str, typer.Option("--timeout", metavar="TIME", help="How long a proxy may take.")
    ] = "15s",
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, metavar="N", help="How many at a time.")
    ] = 50,
    disable_failed: Annotated[
        bool, typer.Option("--disable-failed", help="Disable those that fail, unless all do.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> int:
    """Measure proxies, in parallel, against a page of yours.

    Name a page that you may request this often, preferably one of the site that you scrape. A proxy
    fails if no answer comes through it, or one with status 403, 407, 429, 451 or 5xx. If the page
    says which address it was requested from, as https://api.ipify.org does, that is shown. What is
    measured here does not count towards health and blacklist. Disabled proxies are left out. The
    exit code is 1 if one fails.
    """
    from swather.cli import database, output
    from swather.cli.failure import FINISHED_WITH_FAILURES
    from swather.runs import configuration

    seconds = seconds_of(timeout, option="--timeout")
    with database.opened(db) as store:
        which = filter_of(store, tags, country, source)
        settings = configuration.resolve(store, {"db": db}).settings
        found = store.proxies.pool(
            tags=which.tags, country=which.country, source=which.source
        ).proxies
        if not found:
            raise InputError(_nothing(store, db))
        tested = _measured(found, url, settings, seconds, concurrency)
        disabled = _disable(store, tested) if disable_failed else []
    if as_json:
        output.print_json([_data(each, disabled) for each in tested])
    else:
        output.show(output.listing(*_table(tested, with_page=url is not None)))
        print(f"\n{_summary(tested, disabled, url=url)}")
    if disable_failed and not disabled and not any(each.measured.ok for each in tested):
        print(
            "none was disabled: since all failed, the page or this machine's network may be the "
            "reason",
            file=sys.stderr,
        )
    return 0 if all(each.measured.ok for each in tested) else FINISHED_WITH_FAILURES


def _nothing(store: "Store", db: str | None) -> str:
    from swather.cli import database

    if not store.proxies.find(limit=1):
        command = database.with_db("swather proxies import proxies.txt", db)
        return f"there are no proxies to test; to import a list: {command}"
    command = database.with_db("swather proxies ls", db)
    return f"no enabled proxy matches; to see all: {command}"


def _measured(
    proxies: "Sequence[Proxy]",
    url: str | None,
    settings: "Settings",
    seconds: float,
    at_once: int,
) -> list[Tested]:
    """In the order of the pool; shows how far it has come."""
    from rich.status import Status

    from swather.cli import output
    from swather.net.request import parse_origin, split_url

    if url is not None:
        parse_origin(split_url(url)[0])
    results: dict[int, Tested] = {}
    console = output.stderr()

    async def measure() -> None:
        async for each in _each(proxies, url, settings, seconds, at_once):
            results[each.proxy.id] = each
            failed = sum(not one.measured.ok for one in results.values())
            status.update(f"{len(results):,} of {len(proxies):,} tested, {failed:,} failed")

    status = Status(f"testing {len(proxies):,} proxies", console=console)
    if console.is_terminal:
        with status:
            asyncio.run(measure())
    else:
        asyncio.run(measure())
    return [results[proxy.id] for proxy in proxies]


async def _each(
    proxies: "Sequence[Proxy]",
    url: str | None,
    settings: "Settings",
    seconds: float,
    at_once: int,
) -> "AsyncIterator[Tested]":
    """As they become ready."""
    from contextlib import aclosing

    from swather.net.egress import Egress
    from swather.net.fetcher import USER_AGENT, WebFetcher
    from swather.net.proxy_check import Measured, check_all, connect_to, fetch_through

    fetcher = WebFetcher(
        settings.http_client,
        user_agent=settings.user_agent or USER_AGENT,
        connect_seconds=seconds,
        read_seconds=seconds,
        timeout_seconds=seconds,
        max_bytes=_MAX_PAGE_BYTES,
    )

    async def check(proxy: "Proxy") -> Measured:
        egress = Egress.through(proxy.url)
        if url is None:
            return await connect_to(egress, seconds)
        return await fetch_through(fetcher, egress, url, seconds)

    try:
        async with aclosing(check_all(proxies, check, at_once=at_once)) as checks:
            async for proxy, result in checks:
                yield Tested(proxy, result)
    finally:
        await fetcher.close()


def _disable(store: "Store", tested: list[Tested]) -> list[int]:
    failed = [each.proxy.id for each in tested if not each.measured.ok]
    if len(failed) == len(tested):
        return []
    store.proxies.disable(failed)
    return failed


def _table(tested: list[Tested], *, with_page: bool) -> tuple[list[str], list[list[Any]]]:
    from swather.runs.proxy_facts import latency

    headers = ["id", "proxy", "", "latency"]
    addresses = any(each.measured.exit_address for each in tested)
    if with_page:
        headers += ["status"] + ["leaves from"] * addresses
    has_errors = any(each.measured.error for each in tested)
    headers += ["error"] * has_errors
    rows = []
    for proxy, result in tested:
        took = latency(result.seconds) or "-"
        row: list[Any] = [str(proxy.id), str(proxy), "ok" if result.ok else "FAILED", took]
        if with_page:
            row.append("-" if result.status is None else str(result.status))
            row += [result.exit_address] * addresses
        rows.append(row + [result.error] * has_errors)
    return headers, rows


def _summary(tested: list[Tested], disabled: list[int], *, url: str | None) -> str:
    """'48 of 50 proxies work; median latency 0.31s; 2 disabled'."""
    import statistics

    from swather.runs.proxy_facts import latency

    good = [each.measured.seconds or 0.0 for each in tested if each.measured.ok]
    did = "work" if url is not None else "accept connections"
    said = [f"{len(good):,} of {len(tested):,} proxies {did}"]
    if good:
        said.append(f"median latency {latency(statistics.median(good))}")
    if disabled:
        said.append(f"{len(disabled):,} disabled")
    if url is None:
        said.append("nothing was fetched: name a page of yours to see whether they work")
    return "; ".join(said)


def _data(tested: Tested, disabled: list[int]) -> dict[str, Any]:
    proxy, result = tested
    return {
        "proxy": proxy.id,
        "url": str(proxy),
        "ok": result.ok,
        "status": result.status,
        "seconds": None if result.seconds is None else round(result.seconds, 4),
        "exit_address": result.exit_address or None,
        "error": result.error or None,
        "disabled": proxy.id in disabled,
    }
