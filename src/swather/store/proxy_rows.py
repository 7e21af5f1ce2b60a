"""Converts proxies and their health to the rows that both databases write, and back."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from swather.errors import InputError
from swather.masking import masked
from swather.model.payload import storable
from swather.model.proxy import (
    BlacklistRule,
    Pool,
    Proxy,
    ProxyFault,
    ProxyFilter,
    ProxyHealth,
    ProxyReport,
    ProxyRow,
)
from swather.model.proxy_health import ON_SITE, WHOLE, after_report, state_of
from swather.model.proxy_url import proxy_parts
from swather.model.task import check_name
from swather.store.checks import check_retry_after, check_seconds
from swather.store.clock import at, at_or_none

MAX_ERROR_CHARACTERS: Final = 200
_MAX_TIMES: Final = 1_000_000_000
_NEW: Final = ProxyHealth()

# The id of a proxy, and the site.
Pair = tuple[int, str]


class HealthRow(NamedTuple):
    """The health of a proxy, or of one on a site: in the order of the columns."""

    proxy_id: int
    site: str
    successes: int
    faults_proxy: int
    faults_banned: int
    faults_timeout: int
    faults_network: int
    latency_seconds: float | None
    last_error: str
    last_used_at: float | None
    failures: int
    retry_at: float | None
    blacklistings: int
    probing_until: float | None


class PairRow(NamedTuple):
    proxy_id: int
    site: str


class Judged(NamedTuple):
    """What reports have made of the health of proxies; `has_news` if others may be used now."""

    proxies: list[HealthRow]
    sites: list[HealthRow]
    has_news: bool


def checked_reports(reports: Iterable[ProxyReport]) -> list[ProxyReport]:
    """As they may be stored: what a site or a proxy said is clipped and has no password."""
    return [_checked(report) for report in reports]


def _checked(report: ProxyReport) -> ProxyReport:
    check_seconds("seconds", report.seconds)
    for times in (report.successes, *report.faults.values()):
        if type(times) is not int or not 0 <= times <= _MAX_TIMES:
            raise InputError(f"a report counts from 0 to {_MAX_TIMES:,} requests, got {times!r}")
    return replace(
        report,
        site=check_name("site", report.site),
        error=storable(masked(report.error)[:MAX_ERROR_CHARACTERS]),
        retry_after_seconds=check_retry_after(report.retry_after_seconds),
    )


def pairs_of(reports: Iterable[ProxyReport]) -> list[PairRow]:
    return sorted({PairRow(report.proxy_id, report.site) for report in reports})


def judged(
    reports: Iterable[ProxyReport],
    rule: BlacklistRule,
    now: float,
    proxies: Mapping[int, ProxyHealth],
    sites: Mapping[Pair, ProxyHealth],
) -> Judged:
    """The rows that change, in order of their keys."""
    whole: dict[int, ProxyHealth] = {}
    on_site: dict[Pair, ProxyHealth] = {}
    for report in reports:
        number, pair = report.proxy_id, (report.proxy_id, report.site)
        if number not in proxies:
            continue
        before = whole.get(number, proxies[number])
        whole[number] = after_report(before, report, rule, now, WHOLE)
        before = on_site.get(pair) or sites.get(pair, _NEW)
        on_site[pair] = after_report(before, report, rule, now, ON_SITE)
    has_news = any(
        health.retry_at != proxies[number].retry_at for number, health in whole.items()
    ) or any(health.retry_at != sites.get(pair, _NEW).retry_at for pair, health in on_site.items())
    return Judged(
        [health_row((number, ""), health) for number, health in sorted(whole.items())],
        [health_row(pair, health) for pair, health in sorted(on_site.items())],
        has_news,
    )


def health_row(pair: Pair, health: ProxyHealth) -> HealthRow:
    proxy_id, site = pair
    return HealthRow(
        proxy_id=proxy_id,
        site=site,
        successes=health.successes,
        faults_proxy=health.faults.get(ProxyFault.PROXY, 0),
        faults_banned=health.faults.get(ProxyFault.BANNED, 0),
        faults_timeout=health.faults.get(ProxyFault.TIMEOUT, 0),
        faults_network=health.faults.get(ProxyFault.NETWORK, 0),
        latency_seconds=health.latency_seconds,
        last_error=health.last_error,
        last_used_at=health.last_used_at,
        failures=health.failures,
        retry_at=health.retry_at,
        blacklistings=health.blacklistings,
        probing_until=health.probing_until,
    )


def health_of(columns: Sequence[Any]) -> ProxyHealth:
    """From the columns of a HealthRow after proxy and site."""
    successes, *faults, latency, error, used, failures, retry, times, probing = columns
    return ProxyHealth(
        successes=successes,
        faults={kind: n for kind, n in zip(ProxyFault, faults, strict=True) if n},
        latency_seconds=latency,
        last_error=error,
        last_used_at=used,
        failures=failures,
        retry_at=retry,
        blacklistings=times,
        probing_until=probing,
    )


def pool_of(
    version: int,
    now: float,
    rows: Iterable[Sequence[Any]],
    banned: Iterable[tuple[int, str, float]],
    tags: Collection[str],
    country: str,
) -> Pool:
    sites: dict[int, dict[str, float]] = {}
    for number, site, retry_at in banned:
        sites.setdefault(number, {})[site] = retry_at
    wanted, country = set(tags), country.lower()
    proxies = [
        Proxy(
            id=number,
            url=url,
            tags=own,
            country=its_country,
            weight=weight,
            uses=uses,
            retry_at=retry_at,
            sites=sites.get(number, {}),
            worker_id=worker_id,
        )
        for number, url, text, its_country, weight, uses, retry_at, worker_id in rows
        if wanted.issubset(own := tags_of(text)) and country in ("", its_country)
    ]
    return Pool(version=version, proxies=proxies, now=now)


def tags_of(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def proxy_rows(
    rows: Iterable[Sequence[Any]],
    sources: Iterable[tuple[int, str]],
    banned: Iterable[tuple[int, str, float]],
    now: float,
) -> list[ProxyRow]:
    """For people."""
    lists: dict[int, list[str]] = {}
    for number, source in sources:
        lists.setdefault(number, []).append(source)
    bans: dict[int, int] = {}
    for number, _, retry_at in banned:
        bans[number] = bans.get(number, 0) + (retry_at > now)
    return [
        _proxy_row(row, tuple(sorted(lists.get(row[0], ()))), bans.get(row[0], 0), now)
        for row in rows
    ]


def _proxy_row(row: Sequence[Any], sources: tuple[str, ...], banned: int, now: float) -> ProxyRow:
    number, url, tags, country, weight, enabled, added_at, worker_id, *columns = row
    health = health_of(columns)
    return ProxyRow(
        id=number,
        url=shown(url),
        state=state_of(health, now, enabled=bool(enabled)),
        tags=tags_of(tags),
        country=country,
        weight=weight,
        sources=sources,
        added_at=at(added_at),
        worker_id=worker_id,
        banned=banned,
        uses=health.uses,
        successes=health.successes,
        faults=health.faults,
        latency_seconds=health.latency_seconds,
        last_error=health.last_error,
        last_used_at=at_or_none(health.last_used_at),
        failures=health.failures,
        retry_at=at_or_none(health.retry_at),
        blacklistings=health.blacklistings,
    )


def shown(url: str) -> str:
    """Whatever the database holds: others may write to it."""
    try:
        return proxy_parts(url).shown
    except InputError:
        return "(not a proxy)"


def matching(rows: Iterable[ProxyRow], which: ProxyFilter, limit: int) -> list[ProxyRow]:
    found = [row for row in rows if _matches(row, which)]
    return found[:limit]


def _matches(row: ProxyRow, which: ProxyFilter) -> bool:
    return (
        set(which.tags).issubset(row.tags)
        and which.country.lower() in ("", row.country)
        and (not which.source or which.source in row.sources)
        and which.state in (None, row.state)
        and which.text.lower() in row.url
    )
