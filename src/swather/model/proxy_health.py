"""When a proxy is left alone, and for how long: what a report makes of its health.

A proxy has one health for all sites, which only faults of the proxy itself worsen, and one for each
site, which the other faults worsen. A health with a `retry_at` is blacklisted. Once that time has
passed, the result of one probe decides; requests that began earlier are counted and decide nothing.
"""

from enum import Enum, auto
from typing import Final, NamedTuple

from msgspec.structs import replace

from swather.model.pacing import MAX_COUNT
from swather.model.proxy import (
    BlacklistRule,
    ProxyFault,
    ProxyHealth,
    ProxyReport,
    ProxyState,
)

# A site may ask for any time at all; it gets at most this.
MAX_RETRY_AFTER_SECONDS: Final = 86_400.0
# The share of the latest request in the recent latency.
LATEST_SHARE: Final = 0.1


class Scope(NamedTuple):
    """`blames`: what counts against it. `proves`: faults that show that it works all the same.
    `ends_probe`: what fails a probe of it.
    """

    blames: frozenset[ProxyFault]
    proves: frozenset[ProxyFault]
    ends_probe: frozenset[ProxyFault]


_OF_SITE: Final = frozenset({ProxyFault.BANNED, ProxyFault.TIMEOUT, ProxyFault.NETWORK})
# A site that bans an address has answered through the proxy.
WHOLE: Final = Scope(
    blames=frozenset({ProxyFault.PROXY}),
    proves=frozenset({ProxyFault.BANNED}),
    ends_probe=frozenset({ProxyFault.PROXY, ProxyFault.TIMEOUT, ProxyFault.NETWORK}),
)
ON_SITE: Final = Scope(blames=_OF_SITE, proves=frozenset(), ends_probe=_OF_SITE)


class _Verdict(Enum):
    GOOD = auto()
    BAD = auto()
    NONE = auto()


def after_report(
    health: ProxyHealth, report: ProxyReport, rule: BlacklistRule, now: float, scope: Scope
) -> ProxyHealth:
    """The health once the report is counted."""
    counted = _counted(health, report, now)
    if health.retry_at is None:
        return _while_usable(counted, report, rule, now, scope)
    return _while_blacklisted(counted, health.retry_at, report, rule, now, scope)


def _while_usable(
    health: ProxyHealth, report: ProxyReport, rule: BlacklistRule, now: float, scope: Scope
) -> ProxyHealth:
    failures = _in_a_row(health, report, scope)
    health = replace(health, failures=failures)
    seconds = _asked_for(report, scope) or (rule.seconds if failures >= rule.threshold else 0.0)
    return _blacklisted(health, now, seconds) if seconds else health


def _while_blacklisted(
    health: ProxyHealth,
    retry_at: float,
    report: ProxyReport,
    rule: BlacklistRule,
    now: float,
    scope: Scope,
) -> ProxyHealth:
    asked_for = _asked_for(report, scope)
    verdict = _of_probe(report, scope) if report.is_probe else _Verdict.NONE
    if now < retry_at:
        # Of a request that began before, or of a probe that took too long.
        if verdict is _Verdict.GOOD:
            return forgiven(health)
        return replace(health, retry_at=max(retry_at, now + asked_for))
    if asked_for:
        return _blacklisted(health, now, asked_for)
    if verdict is _Verdict.GOOD:
        return forgiven(health)
    if verdict is _Verdict.BAD:
        return _blacklisted(health, now, rule.seconds)
    return replace(health, probing_until=None) if report.is_probe else health


def state_of(health: ProxyHealth, now: float, *, enabled: bool = True) -> ProxyState:
    if not enabled:
        return ProxyState.DISABLED
    if health.retry_at is None:
        return ProxyState.USABLE
    return ProxyState.BLACKLISTED if now < health.retry_at else ProxyState.PROBING


def may_probe(proxy: ProxyHealth, site: ProxyHealth, now: float) -> bool:
    """Whether one request to the site may decide on the proxy now. Both must be due: a proxy that
    is still blacklisted on this site is probed on another.
    """
    waiting = [health for health in (proxy, site) if health.retry_at is not None]
    return bool(waiting) and all(_is_due(health, now) for health in waiting)


def probed(health: ProxyHealth, now: float, seconds: float) -> ProxyHealth:
    """While a probe is under way; as it was if there is nothing to probe."""
    return health if health.retry_at is None else replace(health, probing_until=now + seconds)


def forgiven(health: ProxyHealth) -> ProxyHealth:
    """Off the blacklist, as if nothing had failed lately."""
    return replace(health, failures=0, retry_at=None, probing_until=None)


def _is_due(health: ProxyHealth, now: float) -> bool:
    assert health.retry_at is not None
    return health.retry_at <= now and (health.probing_until is None or health.probing_until <= now)


def _counted(health: ProxyHealth, report: ProxyReport, now: float) -> ProxyHealth:
    faults = dict(health.faults)
    for fault, times in report.faults.items():
        faults[fault] = faults.get(fault, 0) + times
    return replace(
        health,
        successes=health.successes + report.successes,
        faults=faults,
        latency_seconds=_latency(health.latency_seconds, report),
        last_error=report.error or health.last_error,
        last_used_at=max(now, health.last_used_at or now),
    )


def _latency(before: float | None, report: ProxyReport) -> float | None:
    """A moving average, as if the successes had come one by one with the same latency."""
    if not report.successes:
        return before
    latest = report.seconds / report.successes
    if before is None:
        return latest
    return latest + (before - latest) * (1 - LATEST_SHARE) ** report.successes


def _in_a_row(health: ProxyHealth, report: ProxyReport, scope: Scope) -> int:
    """Only the kind of the last result is known, so that failures after a success count as one."""
    blamed = _number(report, scope.blames)
    works = report.successes + _number(report, scope.proves)
    if _ended_well(report):
        return 0
    if works:
        return min(blamed, 1)
    return min(health.failures + blamed, MAX_COUNT)


def _of_probe(report: ProxyReport, scope: Scope) -> _Verdict:
    if _ended_well(report):
        return _Verdict.GOOD
    if _number(report, scope.ends_probe):
        return _Verdict.BAD
    return _Verdict.GOOD if _number(report, scope.proves) else _Verdict.NONE


def _asked_for(report: ProxyReport, scope: Scope) -> float:
    """For how long the site wants to be left alone; 0 if it says nothing of it."""
    if scope is not ON_SITE or not report.faults.get(ProxyFault.BANNED) or _ended_well(report):
        return 0.0
    return min(report.retry_after_seconds or 0.0, MAX_RETRY_AFTER_SECONDS)


def _ended_well(report: ProxyReport) -> bool:
    return report.successes > 0 and report.ended_well_last


def _number(report: ProxyReport, kinds: frozenset[ProxyFault]) -> int:
    return sum(times for fault, times in report.faults.items() if fault in kinds)


def _blacklisted(health: ProxyHealth, now: float, seconds: float) -> ProxyHealth:
    return replace(
        health,
        retry_at=now + seconds,
        blacklistings=health.blacklistings + 1,
        probing_until=None,
    )
