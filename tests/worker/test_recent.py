"""The figures that a rate is made of say how fast work goes now."""

from collections.abc import Iterable
from types import SimpleNamespace

import pytest

from swather.worker.recent import Recent
from swather.worker.report import Statistics

RUN = "r"
LOOK_SECONDS = 0.5


def after(
    *stretches: tuple[float, float],
    changed_after: Iterable[int] = (),
    average_seconds: float = 0.1,
) -> dict[str, float]:
    """What is told after so many seconds at such a rate each; limits changed after some of them."""
    recent, now, total = Recent(1_000.0), 1_000.0, 0.0
    for number, (seconds, rate) in enumerate(stretches):
        for _ in range(round(seconds / LOOK_SECONDS)):
            now += LOOK_SECONDS
            total += rate * LOOK_SECONDS
            recent.look({RUN: int(total)}, {RUN}, now, average_seconds)
        if number in changed_after:
            recent.limits_changed(now)
    told = recent.as_dict(now)[RUN]
    return {"rate": told["ended"] / (told["seconds"] or 1), **told}


@pytest.mark.parametrize(
    ("stretches", "changed_after", "rate"),
    [
        pytest.param([(4, 50)], [], 50, id="all of a short run"),
        pytest.param([(300, 10), (60, 80)], [], 80, id="the last minute of a long one"),
        pytest.param([(60, 300), (4, 80)], [0], 80, id="only since a limit was changed"),
        pytest.param([(60, 80), (1, 300)], [0], 84, id="which takes a moment to show"),
        pytest.param([(60, 300), (2, 80)], [0], 80, id="and soon does"),
        pytest.param([(60, 50), (30, 0)], [], 50, id="that before it stood still"),
        pytest.param([(60, 50), (109, 0), (5, 50)], [], 50, id="not what it was held up"),
        pytest.param([(600, 0.1)], [], 0.1, id="longer for a slow one"),
        pytest.param([(60, 0)], [], 0, id="nothing"),
    ],
)
def test_the_rate_is_that_of_the_time_that_counts(stretches, changed_after, rate):
    told = after(*stretches, changed_after=changed_after)
    assert told["rate"] == pytest.approx(rate, rel=0.1)


def test_it_is_told_for_how_long_nothing_has_ended():
    assert after((10, 50), (7, 0))["quiet_seconds"] == 7
    assert after((10, 50))["quiet_seconds"] == 0
    assert after((30, 0))["quiet_seconds"] == 30


def test_a_run_is_forgotten_when_it_is_long_over():
    recent = Recent(0.0)
    for now in (0.0, 1.0, 500.0):
        recent.look({RUN: 5}, {RUN}, now, 0.1)
    recent.look({RUN: 5}, set(), 1_200.0, 0.1)
    assert recent.as_dict(1_200.0) == {}
    recent.look({RUN: 7}, set(), 1_201.0, 0.1)
    assert recent.as_dict(1_201.0)[RUN]["ended"] == 2


def test_what_a_worker_waits_for_is_news_whenever_it_changes():
    access = SimpleNamespace(trouble="", lacks_only_proxies=False)
    tally = SimpleNamespace(attempts=0, done={}, average_seconds=None, as_dict=dict)
    slots = SimpleNamespace(running={}, concurrency=1, abandoned=0)
    statistics = Statistics(
        tally, slots, SimpleNamespace(strays=0), SimpleNamespace(trouble=""), access, None
    )
    for trouble in ("bootstrapped 5 %", "bootstrapped 45 %", ""):
        assert not statistics.is_news
        access.trouble = trouble
        assert statistics.is_news
        assert statistics.as_dict()["trouble"] == trouble
