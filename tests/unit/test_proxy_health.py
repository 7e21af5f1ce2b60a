"""When a proxy is left alone: the rules, case by case."""

import pytest
from msgspec.structs import replace

from swather.errors import InputError
from swather.model.proxy import (
    BlacklistRule,
    ProxyFault,
    ProxyHealth,
    ProxyReport,
    ProxyState,
)
from swather.model.proxy_health import (
    MAX_RETRY_AFTER_SECONDS,
    ON_SITE,
    WHOLE,
    Scope,
    after_report,
    may_probe,
    probed,
    state_of,
)

NOW = 1_000.0
RULE = BlacklistRule(threshold=3, seconds=60)
PROXY, BANNED, TIMEOUT, NETWORK = ProxyFault

USABLE = ProxyHealth()
SHAKY = ProxyHealth(failures=2)
OUT = ProxyHealth(failures=3, retry_at=NOW + 30, blacklistings=1)
DUE = ProxyHealth(failures=3, retry_at=NOW - 1, blacklistings=1)
PROBED = ProxyHealth(failures=3, retry_at=NOW - 1, blacklistings=1, probing_until=NOW + 20)


def went(*, good: int = 0, well: bool = False, wait: float | None = None, **faults: int):
    counted = {ProxyFault(name): times for name, times in faults.items()}
    return ProxyReport(
        1,
        "example.com",
        successes=good,
        faults=counted,
        ended_well_last=well,
        retry_after_seconds=wait,
    )


def a_probe(report: ProxyReport) -> ProxyReport:
    return replace(report, is_probe=True)


OK = went(good=1, well=True)
# health, report, scope, failures in a row, seconds until a retry
CASES = {
    "a success changes nothing": (USABLE, OK, WHOLE, 0, None),
    "a success ends the row": (SHAKY, OK, WHOLE, 0, None),
    "a fault of the proxy counts for the proxy": (USABLE, went(proxy=1), WHOLE, 1, None),
    "but not for the site": (USABLE, went(proxy=9), ON_SITE, 0, None),
    "a ban counts for the site": (USABLE, went(banned=1), ON_SITE, 1, None),
    "and ends the row of the proxy": (SHAKY, went(banned=5), WHOLE, 0, None),
    "a timeout counts for the site": (USABLE, went(timeout=1), ON_SITE, 1, None),
    "and says nothing of the proxy": (SHAKY, went(timeout=5), WHOLE, 2, None),
    "a reset counts for the site": (USABLE, went(network=1), ON_SITE, 1, None),
    "and says nothing of the proxy, too": (SHAKY, went(network=5), WHOLE, 2, None),
    "faults of a site add up": (USABLE, went(timeout=1, network=1, banned=1), ON_SITE, 3, 60),
    "the last of a row blacklists": (SHAKY, went(proxy=1), WHOLE, 3, 60),
    "so does a row in one report": (USABLE, went(proxy=7), WHOLE, 7, 60),
    "a success after the faults": (SHAKY, went(good=1, well=True, proxy=9), WHOLE, 0, None),
    "a success before the faults": (SHAKY, went(good=1, proxy=9), WHOLE, 1, None),
    "a site that asks for a time gets it": (USABLE, went(banned=1, wait=5), ON_SITE, 1, 5),
    "even at the threshold": (SHAKY, went(banned=1, wait=5), ON_SITE, 3, 5),
    "not for ever": (
        USABLE, went(banned=1, wait=1e9), ON_SITE, 1, MAX_RETRY_AFTER_SECONDS
    ),
    "not for no time": (USABLE, went(banned=1, wait=0), ON_SITE, 1, None),
    "not on other sites": (USABLE, went(banned=1, wait=5), WHOLE, 0, None),
    "not if it has answered since": (
        USABLE, went(good=1, well=True, banned=1, wait=5), ON_SITE, 0, None
    ),
    "a late failure does not prolong": (OUT, went(proxy=5), WHOLE, 3, 30),
    "a late success does not forgive": (OUT, OK, WHOLE, 3, 30),
    "a late ban prolongs if it asks for more": (OUT, went(banned=1, wait=45), ON_SITE, 3, 45),
    "not if it asks for less": (OUT, went(banned=1, wait=5), ON_SITE, 3, 30),
    "a good probe forgives": (PROBED, a_probe(OK), WHOLE, 0, None),
    "also one that took too long": (OUT, a_probe(OK), WHOLE, 0, None),
    "a bad one blacklists again": (PROBED, a_probe(went(proxy=1)), WHOLE, 3, 60),
    "but not twice": (OUT, a_probe(went(proxy=1)), WHOLE, 3, 30),
    "a ban is a good probe of the proxy": (PROBED, a_probe(went(banned=1)), WHOLE, 0, None),
    "and a bad one of the site": (PROBED, a_probe(went(banned=1)), ON_SITE, 3, 60),
    "for as long as the site says": (PROBED, a_probe(went(banned=1, wait=9)), ON_SITE, 3, 9),
    "a timeout is a bad probe of both": (PROBED, a_probe(went(timeout=1)), WHOLE, 3, 60),
    "of the site, too": (PROBED, a_probe(went(timeout=1)), ON_SITE, 3, 60),
    "a dead proxy decides nothing on a site": (PROBED, a_probe(went(proxy=1)), ON_SITE, 3, -1),
    "others do not decide while one probes": (PROBED, went(proxy=5), WHOLE, 3, -1),
    "nor by a success": (PROBED, OK, WHOLE, 3, -1),
    "nor when nobody does": (DUE, went(proxy=5), WHOLE, 3, -1),
    "unless the site asks for a time": (DUE, went(banned=1, wait=5), ON_SITE, 3, 5),
    "a probe of what is usable is a request": (SHAKY, a_probe(went(proxy=1)), WHOLE, 3, 60),
}  # fmt: skip


@pytest.mark.parametrize(
    ("health", "report", "scope", "failures", "seconds"), CASES.values(), ids=CASES.keys()
)
def test_a_report_decides_how_long_a_proxy_is_left_alone(
    health: ProxyHealth, report: ProxyReport, scope: Scope, failures: int, seconds: float | None
):
    after = after_report(health, report, RULE, NOW, scope)
    assert after.failures == failures
    assert after.retry_at == (None if seconds is None else NOW + seconds)
    is_new = after.retry_at is not None and (health.retry_at or 0) <= NOW < after.retry_at
    assert after.blacklistings == health.blacklistings + is_new
    assert after.uses == health.uses + report.successes + sum(report.faults.values())


def test_a_probe_that_decides_nothing_lets_another_probe():
    report = a_probe(went(proxy=1))
    assert after_report(PROBED, report, RULE, NOW, ON_SITE).probing_until is None


def test_a_health_has_totals_the_last_error_and_a_recent_latency():
    health = USABLE
    for seconds in [9.0] * 20 + [1.0] * 40:
        report = replace(went(good=1, well=True, timeout=1), seconds=seconds, error="slow")
        health = after_report(health, report, RULE, NOW, ON_SITE)
    health = after_report(health, went(good=5, well=True), RULE, NOW - 50, ON_SITE)
    assert (health.successes, health.faults, health.uses) == (65, {TIMEOUT: 60}, 125)
    assert (health.last_error, health.last_used_at) == ("slow", NOW)
    assert health.latency_seconds is not None
    assert health.latency_seconds < 1.2  # of all it is 3.4


def test_successes_in_one_report_weigh_as_much_as_one_by_one():
    together = replace(went(good=8, well=True), seconds=8.0)
    start = ProxyHealth(latency_seconds=3.0)
    once = after_report(start, together, RULE, NOW, WHOLE).latency_seconds
    each = start
    for _ in range(8):
        each = after_report(each, replace(OK, seconds=1.0), RULE, NOW, WHOLE)
    assert once == pytest.approx(each.latency_seconds)


FREE = ProxyHealth()
PROBES = [
    (FREE, FREE, False),
    (DUE, FREE, True),
    (FREE, DUE, True),
    (DUE, DUE, True),
    (DUE, OUT, False),
    (OUT, DUE, False),
    (OUT, FREE, False),
    (PROBED, FREE, False),
    (DUE, PROBED, False),
]


@pytest.mark.parametrize(("proxy", "site", "expected"), PROBES)
def test_one_may_probe_once_all_times_are_over(
    proxy: ProxyHealth, site: ProxyHealth, expected: bool
):
    assert may_probe(proxy, site, NOW) is expected
    if expected:
        assert not may_probe(probed(proxy, NOW, 10), probed(site, NOW, 10), NOW + 9)
        assert may_probe(probed(proxy, NOW, 10), probed(site, NOW, 10), NOW + 11)


def test_the_state_of_a_proxy_in_a_word():
    found = [state_of(health, NOW) for health in (USABLE, SHAKY, OUT, DUE, PROBED)]
    usable, out, probing, disabled = ProxyState
    assert found == [usable, usable, out, probing, probing]
    assert state_of(OUT, NOW, enabled=False) is disabled


@pytest.mark.parametrize(("threshold", "seconds"), [(0, 60.0), (3, 0.0), (3, float("inf"))])
def test_a_rule_that_makes_no_sense_is_refused(threshold: int, seconds: float):
    with pytest.raises(InputError, match="must"):
        BlacklistRule(threshold, seconds)
