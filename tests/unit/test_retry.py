import math
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.retry import (
    SPENDS_ATTEMPTS,
    Again,
    Backoff,
    Budgets,
    ErrorClass,
    Faults,
    GiveUp,
    decide,
)

EXACT = Backoff(jitter=0)
RETRIED = sorted(set(ErrorClass) - {ErrorClass.PERMANENT, ErrorClass.LATER})
backoffs = st.builds(
    Backoff, st.floats(1, 10), st.floats(0, 1000), st.floats(0, 1, allow_subnormal=False)
)
attempt_counts = st.integers(1, 20) | st.integers(1, 10**9)


def seeded(seed: int = 7) -> Random:
    return Random(seed)


def decision(
    error_class: ErrorClass, faults: Faults, budgets: Budgets, **more: Any
) -> Again | GiveUp:
    return decide(
        error_class,
        faults,
        budgets=budgets,
        backoff=EXACT,
        random=seeded(),
        **more,
    )


def executions(error_class: ErrorClass, budgets: Budgets) -> int:
    """How often a task runs that fails like this each time."""
    faults = Faults()
    for execution in range(1, 1000):
        faults = faults.plus(error_class)
        if isinstance(decision(error_class, faults, budgets), GiveUp):
            return execution
    raise AssertionError("it is never given up")


def test_delays_double_up_to_the_cap() -> None:
    delays = [EXACT.delay_seconds(attempts, seeded()) for attempts in range(1, 12)]
    assert delays == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


@given(st.sampled_from([1.0, 1.5, 2.0, 3.0]), st.integers(1, 60))
def test_without_jitter_a_delay_is_factor_to_the_power_of_attempts(
    factor: float, attempts: int
) -> None:
    delay = Backoff(factor=factor, jitter=0).delay_seconds(attempts, seeded())
    assert delay == min(factor**attempts, 300)


@given(backoffs, attempt_counts, st.randoms(use_true_random=False))
def test_jitter_only_lengthens_and_never_passes_the_cap(
    backoff: Backoff, attempts: int, random: Random
) -> None:
    exact = Backoff(backoff.factor, backoff.cap_seconds, 0).delay_seconds(attempts, random)
    delay = backoff.delay_seconds(attempts, random)
    assert exact <= delay <= backoff.cap_seconds
    assert delay <= exact * (1 + backoff.jitter)


def test_jitter_spreads_tasks_that_failed_together() -> None:
    random = seeded()
    assert len({Backoff().delay_seconds(1, random) for _ in range(100)}) == 100


@given(backoffs, st.integers(10**3, 10**12))
def test_huge_attempts_do_not_overflow(backoff: Backoff, attempts: int) -> None:
    assert math.isfinite(backoff.delay_seconds(attempts, seeded()))


@pytest.mark.parametrize(
    "wrong",
    [
        {"factor": 0.5}, {"factor": -2}, {"factor": math.nan},
        {"cap_seconds": -1}, {"cap_seconds": math.nan},
        {"jitter": -0.1}, {"jitter": 1.1}, {"jitter": math.nan},
    ],
)  # fmt: skip
def test_a_backoff_that_would_shorten_or_confuse_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"got {next(iter(wrong.values()))}"):
        Backoff(**wrong)


@pytest.mark.parametrize("name", ["retries", "blocked", "proxy", "crashes"])
def test_a_negative_budget_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must not be negative, got -1"):
        Budgets(**{name: -1})


@given(st.integers(0, 20), st.sampled_from([ErrorClass.TRANSIENT, ErrorClass.TIMEOUT]))
def test_retries_are_executions_after_the_first(retries: int, error_class: ErrorClass) -> None:
    assert executions(error_class, Budgets(retries=retries)) == retries + 1


@pytest.mark.parametrize(
    ("error_class", "expected"),
    [
        (ErrorClass.PERMANENT, 1),
        (ErrorClass.TRANSIENT, 4),
        (ErrorClass.TIMEOUT, 4),
        (ErrorClass.BLOCKED, 10),
        (ErrorClass.PROXY, 10),
        (ErrorClass.CRASH, 3),
        (ErrorClass.LATER, 101),
    ],
)
def test_a_task_that_always_fails_runs_this_often(error_class: ErrorClass, expected: int) -> None:
    assert executions(error_class, Budgets()) == expected


def test_transient_failures_and_timeouts_share_their_attempts() -> None:
    faults = Faults()
    for error_class in (ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.TRANSIENT):
        faults = faults.plus(error_class)
        assert isinstance(decision(error_class, faults, Budgets()), Again)
    faults = faults.plus(ErrorClass.TIMEOUT)
    assert isinstance(decision(ErrorClass.TIMEOUT, faults, Budgets()), GiveUp)


@given(st.lists(st.sampled_from(ErrorClass), max_size=40))
def test_each_failure_is_counted_once_and_in_its_own_place(failures: list[ErrorClass]) -> None:
    faults = Faults()
    for error_class in failures:
        faults = faults.plus(error_class)
    assert faults.attempts == sum(error_class in SPENDS_ATTEMPTS for error_class in failures)
    assert faults.blocked == failures.count(ErrorClass.BLOCKED)
    assert faults.proxy == failures.count(ErrorClass.PROXY)
    assert faults.postponed == failures.count(ErrorClass.LATER)
    assert faults.crashes == faults.crashes_alone == failures.count(ErrorClass.CRASH)


@given(
    st.sampled_from([ErrorClass.BLOCKED, ErrorClass.PROXY, ErrorClass.CRASH, ErrorClass.LATER]),
    st.builds(Faults, *[st.integers(0, 2)] * 5),
    st.integers(0, 3),
)
def test_blocks_proxies_and_crashes_do_not_spend_attempts(
    error_class: ErrorClass, faults: Faults, retries: int
) -> None:
    after = faults.plus(error_class)
    assert after.attempts == faults.attempts
    budgets = Budgets(retries=retries, blocked=10, proxy=10, crashes=10)
    assert isinstance(decision(error_class, after, budgets), Again)


@given(st.integers(1, 100))
def test_only_a_crash_alone_counts_against_the_task(crashes: int) -> None:
    faults = Faults()
    for _ in range(crashes):
        faults = faults.plus(ErrorClass.CRASH, alone=False)
    assert faults == Faults(crashes=crashes)
    assert isinstance(decision(ErrorClass.CRASH, faults, Budgets()), Again)


@given(st.builds(Faults, *[st.integers(0, 5)] * 5), st.none() | st.just("private"))
def test_a_permanent_failure_is_never_retried(faults: Faults, reason: str | None) -> None:
    budgets = Budgets(retries=1000)
    given_up = decision(ErrorClass.PERMANENT, faults, budgets, reason=reason, after_seconds=1)
    assert given_up == GiveUp(reason or "permanent")


@pytest.mark.parametrize("error_class", RETRIED)
def test_exhaustion_says_so_and_ends_with_the_class_as_its_reason(error_class: ErrorClass) -> None:
    worn_out = Faults(*[99] * 5)
    given_up = decision(error_class, worn_out, Budgets())
    assert given_up == GiveUp(error_class.value, exhausted=True)


def test_a_target_that_is_postponed_too_often_has_exceeded_no_retries() -> None:
    given_up = decision(ErrorClass.LATER, Faults(postponed=101), Budgets(), reason="too_late")
    assert given_up == GiveUp("too_late", exhausted=False)


@pytest.mark.parametrize("error_class", RETRIED)
def test_without_a_retry_none_was_exceeded(error_class: ErrorClass) -> None:
    budgets = Budgets(retries=0, blocked=1, proxy=1, crashes=1)
    given_up = decision(error_class, Faults().plus(error_class), budgets)
    assert given_up == GiveUp(error_class.value)


@pytest.mark.parametrize("error_class", RETRIED)
def test_exhaustion_keeps_the_reason_it_was_given(error_class: ErrorClass) -> None:
    given_up = decision(error_class, Faults(*[99] * 5), Budgets(), reason="layout_changed")
    assert isinstance(given_up, GiveUp)
    assert given_up.reason == "layout_changed"


@given(st.integers(1, 3))
def test_the_delay_grows_with_the_attempts_that_were_spent(attempts: int) -> None:
    again = decision(ErrorClass.TRANSIENT, Faults(attempts=attempts, blocked=7), Budgets())
    assert again == Again(2.0**attempts)


@given(st.floats(-100, 10_000))
def test_a_wait_that_the_site_asks_for_replaces_the_backoff(after_seconds: float) -> None:
    again = decision(
        ErrorClass.TRANSIENT, Faults(attempts=1), Budgets(), after_seconds=after_seconds
    )
    assert again == Again(max(after_seconds, 0))


def test_a_wait_that_the_site_asks_for_does_not_buy_another_attempt() -> None:
    given_up = decision(ErrorClass.TRANSIENT, Faults(attempts=4), Budgets(), after_seconds=1)
    assert isinstance(given_up, GiveUp)
