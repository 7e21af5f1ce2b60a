"""Reports of proxies, and the rows of their health that both databases read and write."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from swather.errors import InputError
from swather.masking import masked
from swather.model.payload import storable
from swather.model.proxy import BlacklistRule, ProxyFault, ProxyHealth, ProxyReport
from swather.model.proxy_health import ON_SITE, WHOLE, after_report, may_probe, probed
from swather.model.task import check_name
from swather.store.checks import check_retry_after, check_seconds

MAX_ERROR_CHARACTERS: Final = 200
# What is known of a proxy on a site is kept for so long after its last use, and for so many sites.
SITE_DAYS: Final = 30
MAX_SITES: Final = 1_000
FORGOTTEN_BATCH: Final = 1_000
_MAX_TIMES: Final = 1_000_000_000
NEW: Final = ProxyHealth()
# An enumeration is walked slowly, and there may be 10,000 proxies.
_FAULTS: Final = tuple(ProxyFault)

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


def check_probe(proxy_id: int, site: str, seconds: float) -> PairRow:
    if not check_seconds("seconds", seconds):
        raise InputError("a probe must have more than 0 seconds")
    return PairRow(proxy_id, check_name("site", site))


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
        before = on_site.get(pair) or sites.get(pair, NEW)
        on_site[pair] = after_report(before, report, rule, now, ON_SITE)
    has_news = any(
        health.retry_at != proxies[number].retry_at for number, health in whole.items()
    ) or any(health.retry_at != sites.get(pair, NEW).retry_at for pair, health in on_site.items())
    return Judged(
        [health_row((number, ""), health) for number, health in sorted(whole.items())],
        [health_row(pair, health) for pair, health in sorted(on_site.items())],
        has_news,
    )


def probing(
    pair: PairRow, proxy: ProxyHealth, site: ProxyHealth, now: float, seconds: float
) -> tuple[list[HealthRow], list[HealthRow]] | None:
    """The rows of a proxy and of its site once one may probe them; None if nobody may now."""
    if not may_probe(proxy, site, now):
        return None
    whole = [health_row((pair.proxy_id, ""), probed(proxy, now, seconds))]
    if site.retry_at is None:
        return whole, []
    return whole, [health_row(pair, probed(site, now, seconds))]


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
    had = any(faults)
    return ProxyHealth(
        successes=successes,
        faults={kind: n for kind, n in zip(_FAULTS, faults, strict=True) if n} if had else {},
        latency_seconds=latency,
        last_error=error,
        last_used_at=used,
        failures=failures,
        retry_at=retry,
        blacklistings=times,
        probing_until=probing,
    )
